/*
 * The library for C, and for languages that call C: programs are parsed, propagated, explained,
 * partitioned, run and checked, reshards planned. C99. docs/c_api.md
 *
 * Handles. A program, a tensor, an explanation, ... is an opaque handle. Whoever gets one owns it
 * and ends it with the `_destroy` of its type. A handle is looked up at each call, so that NULL,
 * one that was destroyed, one of another type and a number that is none give SHARDY_BAD_HANDLE, and
 * never touch memory. What functions are given they do not keep: texts, bytes and lists are copied.
 *
 * Errors. A function that can fail returns a status. Its last parameter may be NULL, or says where
 * a list of diagnostics goes, which the caller owns: what is wrong, where, and what to do about it.
 * The list is there if the status is not SHARDY_OK, and also if there are warnings or notes;
 * otherwise NULL is stored. Where a handle comes out, `*out` is NULL unless the status is
 * SHARDY_OK. Functions that only read a handle return 0 or "" for one that is none and for an index
 * that is too large. No exception leaves the library.
 *
 * Strings. All are UTF-8. Strings that come out end in a zero, are never NULL and live as long as
 * the handle that was asked; they may be used until it is destroyed.
 *
 * Threads. Every function may be called from any thread at any time. Objects never change, so that
 * threads may share them; one that is destroyed while another thread works with it is freed when
 * that call is done.
 *
 * Compatibility. Functions, fields and numbers are added and never change their meaning within one
 * SHARDY_C_API_VERSION. Structs that the caller fills begin with their size, and zero is every
 * field's default.
 */
#ifndef SHARDY_SHARDY_H
#define SHARDY_SHARDY_H

/* It is C, with the names and headers of C. NOLINTBEGIN */
#include <shardy/version.h>
#include <stddef.h>
#include <stdint.h>

/* In C++ an enum holds any int, as it does in C: what is none of its numbers is an error value. */
#ifdef __cplusplus
#define SHARDY_C_INT : int
#else
#define SHARDY_C_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version --------------------------------------------------------------------------------- */

/** Grows when something changes that a program may have relied on. */
#define SHARDY_C_API_VERSION 1

/** SHARDY_C_API_VERSION of the library that runs; the header may be of another one. */
int shardy_c_api_version(void);
/** SHARDY_VERSION of the library that runs: 10000 * major + 100 * minor + patch. */
int shardy_version(void);
/** The same as text, "0.1.0"; lives forever. */
const char* shardy_version_text(void);

/* ---- What went wrong ------------------------------------------------------------------------- */

typedef enum shardy_status SHARDY_C_INT {
  SHARDY_OK = 0,
  SHARDY_REFUSED = 1, /* the program, the text or the question is wrong, or a run failed */
  /* a NULL where something has to be, a number that is none of its enum, a wrong count */
  SHARDY_BAD_ARGUMENT = 2,
  SHARDY_BAD_HANDLE = 3, /* NULL, destroyed, or of another type */
  SHARDY_NO_MEMORY = 4,
  SHARDY_INTERNAL = 5 /* an error of the library itself: please report it */
} shardy_status;

/** "ok", "refused", "bad argument", ...; "unknown status" for another number. Lives forever. */
const char* shardy_status_text(shardy_status status);

typedef enum shardy_severity SHARDY_C_INT {
  SHARDY_ERROR = 0,
  SHARDY_WARNING = 1,
  SHARDY_REMARK = 2,
  SHARDY_NOTE = 3
} shardy_severity;

/** A list of diagnostics, errors last. */
typedef struct shardy_diagnostics shardy_diagnostics;

/** The number of diagnostics. */
size_t shardy_diagnostics_count(const shardy_diagnostics* diagnostics);
/** How bad one is; SHARDY_ERROR where there is none. */
shardy_severity shardy_diagnostics_severity(const shardy_diagnostics* diagnostics, size_t index);
/** The rule that was broken, with the offending value in it. */
const char* shardy_diagnostics_message(const shardy_diagnostics* diagnostics, size_t index);
/** `12:7` in text, `/functions/0/args/1` in JSON; empty if it is about no place. */
const char* shardy_diagnostics_location(const shardy_diagnostics* diagnostics, size_t index);
/** `E_KERNEL`, which programs may rely on; empty for most. */
const char* shardy_diagnostics_code(const shardy_diagnostics* diagnostics, size_t index);
/** The number of notes of a diagnostic: context and the way out. */
size_t shardy_diagnostics_num_notes(const shardy_diagnostics* diagnostics, size_t index);
/** One of them. */
const char* shardy_diagnostics_note(const shardy_diagnostics* diagnostics, size_t index,
                                    size_t note);
/** All of it as the command line prints it: with the name of the text, the line and a caret. Ends
 * in a newline. */
const char* shardy_diagnostics_text(const shardy_diagnostics* diagnostics);
/** Ends a list. NULL and what is no list are ignored. */
void shardy_diagnostics_destroy(shardy_diagnostics* diagnostics);

/* ---- Texts ----------------------------------------------------------------------------------- */

/** A text that the library has made. */
typedef struct shardy_text shardy_text;

/** Its bytes, with a zero behind the last. */
const char* shardy_text_data(const shardy_text* text);
/** How many bytes, without that zero. */
size_t shardy_text_size(const shardy_text* text);
/** Ends a text. NULL and what is no text are ignored. */
void shardy_text_destroy(shardy_text* text);

/* ---- Options --------------------------------------------------------------------------------- */

/** What stages do. Functions take NULL for all defaults; a field that a stage has no use for is
 * ignored. */
typedef struct shardy_options {
  size_t size;           /* sizeof(shardy_options) */
  const char* axis_cost; /* `x=ring:100GB/s:1us`, docs/resharding.md; NULL: what the meshes of the
                            program say */
  int strict; /* not 0: what is replicated beyond what the shardings ask for is an error */
  int64_t max_live_bytes; /* of reshards: per device, of what goes in and out of a step; 0: any */
  int num_threads;        /* of runs, 256 at most; 0: one per core */
  int64_t max_steps;      /* of runs: ops per device before it is an error; 0: any number */
  int64_t max_bytes;      /* of runs: live per device before it is an error; 0: 16 GiB */
  double tolerance;       /* of checks: relative; 0: the bound that is derived from the program */
  int exact; /* of checks, not 0: also over a prime field, where one differing bit counts */
  int wide;  /* of checks, not 0: also in f64 */
} shardy_options;

/* ---- Programs -------------------------------------------------------------------------------- */

/** A verified tensor program, with meshes and shardings. */
typedef struct shardy_program shardy_program;

typedef enum shardy_format SHARDY_C_INT {
  SHARDY_AUTO = 0, /* of texts that are read: what they begin with decides */
  SHARDY_MLIR = 1, /* StableHLO with SDY, docs/mlir.md */
  SHARDY_JSON = 2, /* docs/json.md */
  /* of texts that are printed: the generic form, which any MLIR parser reads */
  SHARDY_GENERIC_MLIR = 3
} shardy_format;

/**
 * Reads and verifies a program; shardings of GSPMD and of XLA's round trip are read as well.
 *
 * `text`: `size` bytes of UTF-8, which need not end in a zero. `name`: what errors call the text;
 * may be NULL. Errors: REFUSED with all errors of the text; BAD_ARGUMENT for a NULL text, another
 * format.
 */
shardy_status shardy_program_parse(const char* text, size_t size, const char* name,
                                   shardy_format format, shardy_program** out,
                                   shardy_diagnostics** diagnostics);

/** The program as text, with the names of its source. Not SHARDY_AUTO. Errors: BAD_ARGUMENT,
 * BAD_HANDLE. */
shardy_status shardy_program_print(const shardy_program* program, shardy_format format,
                                   shardy_text** out, shardy_diagnostics** diagnostics);

/** Ends a program. NULL and what is no program are ignored. */
void shardy_program_destroy(shardy_program* program);

/** Of the main function; 0 if there is none. */
size_t shardy_program_num_arguments(const shardy_program* program);
size_t shardy_program_num_results(const shardy_program* program);
/** As the source calls it: `%x`. */
const char* shardy_program_argument_name(const shardy_program* program, size_t index);
/** `tensor<8x16xf32>`: of the whole tensor; of a per-device program that of the device. */
const char* shardy_program_argument_type(const shardy_program* program, size_t index);
const char* shardy_program_result_type(const shardy_program* program, size_t index);
/** `<@mesh, [{"x"}, {}]>`; empty if there is none. */
const char* shardy_program_argument_sharding(const shardy_program* program, size_t index);
const char* shardy_program_result_sharding(const shardy_program* program, size_t index);

/* ---- Stages ---------------------------------------------------------------------------------- */

/** The program with a sharding at every value, as `shardy propagate` makes it. Errors: REFUSED,
 * BAD_HANDLE. */
shardy_status shardy_program_propagate(const shardy_program* program, shardy_program** out,
                                       shardy_diagnostics** diagnostics);

/**
 * The program of one device: local shapes, padding, collectives. Options: axis_cost, strict.
 * Errors: REFUSED: an op that cannot be partitioned, with its place and its axes; BAD_ARGUMENT,
 * BAD_HANDLE.
 */
shardy_status shardy_program_partition(const shardy_program* program, const shardy_options* options,
                                       shardy_program** out, shardy_diagnostics** diagnostics);

/* ---- Why values have the shardings they have ------------------------------------------------- */

/** The decisions of one propagation: per value, dim and axis the way back to an annotation; and the
 * conflicts. */
typedef struct shardy_explanation shardy_explanation;

/** Propagates the program and keeps every decision. Errors: REFUSED, BAD_HANDLE. */
shardy_status shardy_program_explain(const shardy_program* program, shardy_explanation** out,
                                     shardy_diagnostics** diagnostics);
/** Ends an explanation. NULL and what is none are ignored. */
void shardy_explanation_destroy(shardy_explanation* explanation);

/** What can be asked of a value. Strings; empty where there is none. */
typedef enum shardy_value_field SHARDY_C_INT {
  SHARDY_VALUE_NAME = 0,     /* `%x`, or `result 0` of a function */
  SHARDY_VALUE_TYPE = 1,     /* `tensor<8x16xf32>` */
  SHARDY_VALUE_OP = 2,       /* that makes it, `stablehlo.add` */
  SHARDY_VALUE_LOCATION = 3, /* of that op */
  SHARDY_VALUE_FUNCTION = 4, /* that it stands in */
  SHARDY_VALUE_WRITTEN = 5,  /* its sharding as it was annotated */
  SHARDY_VALUE_SHARDING = 6  /* its sharding after propagation */
} shardy_value_field;

/** Values in program order, results of functions last. */
size_t shardy_explanation_num_values(const shardy_explanation* explanation);
const char* shardy_explanation_value(const shardy_explanation* explanation, size_t value,
                                     shardy_value_field field);
/** Axes of the dims of a value. */
size_t shardy_explanation_num_axes(const shardy_explanation* explanation, size_t value);
/** The axis, `"x"` or `"x":(1)2`. */
const char* shardy_explanation_axis(const shardy_explanation* explanation, size_t value,
                                    size_t axis);
/** The dim that it shards, from 0. */
size_t shardy_explanation_axis_dim(const shardy_explanation* explanation, size_t value,
                                   size_t axis);
/** The number of decisions that brought the axis there: the last one first, its annotation at the
 * end. */
size_t shardy_explanation_num_decisions(const shardy_explanation* explanation, size_t value,
                                        size_t axis);

typedef enum shardy_decision_field SHARDY_C_INT {
  /* `annotation`, `step`, `group` (of values sharded alike), `import` (by a pass) */
  SHARDY_DECISION_KIND = 0,
  SHARDY_DECISION_OP = 1,        /* of a step: `stablehlo.dot_general` */
  SHARDY_DECISION_LOCATION = 2,  /* of the op */
  SHARDY_DECISION_FACTOR = 3,    /* of a step: `i` */
  SHARDY_DECISION_AXIS = 4,      /* what moved */
  SHARDY_DECISION_FROM = 5,      /* the value that had it; of an annotation the value that has it */
  SHARDY_DECISION_DIRECTION = 6, /* `forward`, `backward`, `sideways` */
  SHARDY_DECISION_STRATEGY = 7   /* `basic`, `aggressive` */
} shardy_decision_field;

const char* shardy_explanation_decision(const shardy_explanation* explanation, size_t value,
                                        size_t axis, size_t decision, shardy_decision_field field);
/** The number of the step, from 0; -1 before the first one. */
int64_t shardy_explanation_decision_step(const shardy_explanation* explanation, size_t value,
                                         size_t axis, size_t decision);

typedef enum shardy_conflict_field SHARDY_C_INT {
  SHARDY_CONFLICT_OP = 0, /* that wanted to hand an axis on */
  SHARDY_CONFLICT_LOCATION = 1,
  SHARDY_CONFLICT_FUNCTION = 2,
  SHARDY_CONFLICT_FACTOR = 3, /* along which */
  SHARDY_CONFLICT_AXIS = 4,   /* that was wanted */
  SHARDY_CONFLICT_REASON = 5, /* `other factor`, ... */
  SHARDY_CONFLICT_VALUE = 6,  /* in whose way */
  SHARDY_CONFLICT_TARGET = 7, /* who goes without; empty: all tensors of the op */
  SHARDY_CONFLICT_WINNER = 8, /* empty where nobody won */
  SHARDY_CONFLICT_WHY = 9,    /* the winner won: `size: 256 > 64` */
  SHARDY_CONFLICT_NEEDED = 10 /* what the loser would have needed */
} shardy_conflict_field;

/** Axes that an op wanted to hand on and could not. */
size_t shardy_explanation_num_conflicts(const shardy_explanation* explanation);
const char* shardy_explanation_conflict(const shardy_explanation* explanation, size_t conflict,
                                        shardy_conflict_field field);

/* ---- Reshards -------------------------------------------------------------------------------- */

/** A tensor that goes from one sharding to another. All strings must be there but `to_mesh`. */
typedef struct shardy_reshard {
  size_t size;         /* sizeof(shardy_reshard) */
  const char* mesh;    /* `<["x"=2, "y"=4]>` */
  const char* to_mesh; /* of `to`, the same axes with the devices in another order; NULL: `mesh` */
  const char* type;    /* `tensor<24x24xf32>`, or `24x24xf32` */
  const char* from;    /* `[{"x"}, {"y"}]`, what else a sharding says behind it */
  const char* to;      /* as `from` */
} shardy_reshard;

/** The cheapest collectives that were found, in order. */
typedef struct shardy_plan shardy_plan;

/** What a device spends, at most over all devices. */
typedef struct shardy_cost {
  int64_t bytes;      /* sent; as many are received */
  int64_t messages;   /* one after the other */
  double seconds;     /* modelled */
  int64_t live_bytes; /* what goes in, comes out and is scratch */
} shardy_cost;

/**
 * Plans a reshard. Options: axis_cost, max_live_bytes.
 * Errors: REFUSED: a text of another form, shardings that do not fit the type or each other, no
 * plan within max_live_bytes; BAD_ARGUMENT.
 */
shardy_status shardy_plan_reshard(const shardy_reshard* reshard, const shardy_options* options,
                                  shardy_plan** out, shardy_diagnostics** diagnostics);
/** 0 if every device has what it needs. */
size_t shardy_plan_num_steps(const shardy_plan* plan);
/** `sdy.all_gather [{"x"}, {}] out_sharding=<@mesh, [{}, {"y"}]>` */
const char* shardy_plan_step(const shardy_plan* plan, size_t step);
/** What a device holds behind the step: `tensor<24x6xf32>`. */
const char* shardy_plan_step_type(const shardy_plan* plan, size_t step);
/** What a step costs; zeros where there is none. */
shardy_cost shardy_plan_step_cost(const shardy_plan* plan, size_t step);
/** What all of it costs. */
shardy_cost shardy_plan_cost(const shardy_plan* plan);
/** 1: no plan of these steps is cheaper. 0: there were too many axes to try all ways. */
int shardy_plan_is_proven(const shardy_plan* plan);
/** Ends a plan. NULL and what is no plan are ignored. */
void shardy_plan_destroy(shardy_plan* plan);

/* ---- Runs ------------------------------------------------------------------------------------ */

/** A whole tensor in memory: elements row-major, without gaps, in the byte order of the machine. */
typedef struct shardy_tensor shardy_tensor;

/**
 * Copies `size` bytes. `type`: `tensor<8x16xf32>`, or `8x16xf32`. Elements of 2 and 4 bits are one
 * byte each, i1 is a byte of 0 or 1. Errors: REFUSED: no static type, another number of bytes,
 * bytes that no element has; BAD_ARGUMENT.
 */
shardy_status shardy_tensor_make(const char* type, const void* bytes, size_t size,
                                 shardy_tensor** out, shardy_diagnostics** diagnostics);
/** `tensor<8x16xf32>` */
const char* shardy_tensor_type(const shardy_tensor* tensor);
size_t shardy_tensor_rank(const shardy_tensor* tensor);
/** In elements; 0 for a dim that it has not. */
int64_t shardy_tensor_dim(const shardy_tensor* tensor, size_t dim);
/** The elements, aligned for their type. NULL for what is no tensor. */
const void* shardy_tensor_data(const shardy_tensor* tensor);
/** Their bytes. */
size_t shardy_tensor_size(const shardy_tensor* tensor);
/** Ends a tensor. NULL and what is no tensor are ignored. */
void shardy_tensor_destroy(shardy_tensor* tensor);

/**
 * Inputs of the main function: floats in [-1, 1), small integers; the same seed gives the same.
 * `tensors` has room for `count` handles, which has to be the number of arguments; all are NULL if
 * the status is not SHARDY_OK. Errors: REFUSED: no main function, an argument of no static type;
 * BAD_ARGUMENT: another count; BAD_HANDLE.
 */
shardy_status shardy_program_random_inputs(const shardy_program* program, uint64_t seed,
                                           shardy_tensor** tensors, size_t count,
                                           shardy_diagnostics** diagnostics);

/**
 * Propagates, partitions and runs a program on all devices of its mesh, simulated; a per-device
 * program runs as it is. `inputs` are whole tensors, one per argument; `outputs` has room for
 * `num_outputs` handles, which has to be the number of results, and all are NULL if the status is
 * not SHARDY_OK. Options: all but tolerance, exact and wide.
 *
 * Errors: REFUSED: those of the stages, inputs of other types, and what fails in a run, with codes
 * such as `E_KERNEL`, `E_STEP_LIMIT`, `E_MEMORY_LIMIT`; a `check` op that does not hold;
 * BAD_ARGUMENT: other counts; BAD_HANDLE.
 */
shardy_status shardy_program_run(const shardy_program* program, const shardy_tensor* const* inputs,
                                 size_t num_inputs, const shardy_options* options,
                                 shardy_tensor** outputs, size_t num_outputs,
                                 shardy_diagnostics** diagnostics);

/* ---- Proofs ---------------------------------------------------------------------------------- */

/** How the sharded run of a program compares with the run on one device. */
typedef struct shardy_check shardy_check;

/**
 * Runs a program sharded and unsharded, and compares. A difference is no error:
 * shardy_check_is_equal tells. Parameters and errors: as of shardy_program_run. A per-device
 * program has no unsharded run, and is refused.
 */
shardy_status shardy_program_check(const shardy_program* program,
                                   const shardy_tensor* const* inputs, size_t num_inputs,
                                   const shardy_options* options, shardy_check** out,
                                   shardy_diagnostics** diagnostics);
/** 1: every result is within its bound, and every `check` op holds. 0 for what is no check. */
int shardy_check_is_equal(const shardy_check* check);
/** The largest |sharded - unsharded| over all results. */
double shardy_check_largest_difference(const shardy_check* check);
/** How many devices it ran on. */
size_t shardy_check_num_devices(const shardy_check* check);
/** `result 0: equal (largest difference 0, allowed 0)`, a line for each result. */
const char* shardy_check_text(const shardy_check* check);
/** Ends a check. NULL and what is none are ignored. */
void shardy_check_destroy(shardy_check* check);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
