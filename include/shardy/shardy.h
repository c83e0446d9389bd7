/*
 * The interface for C99 and for languages that call C: parses, propagates, explains, partitions,
 * runs and checks programs, and plans reshards. docs/c_api.md
 *
 * Handles. A program, a tensor, an explanation, ... is an opaque handle. The caller owns a returned
 * handle and destroys it with the `_destroy` function of its type. Each call checks its handles:
 * for NULL, a destroyed handle, a handle of another type and any other value, the call returns
 * SHARDY_BAD_HANDLE and accesses no memory. Functions copy their inputs: texts, bytes and lists.
 *
 * Errors. A function that can fail returns a status. Its last parameter, which may be NULL,
 * receives a list of diagnostics, which the caller owns. A diagnostic has the problem, its
 * location, and how to fix it. The list exists if the status is not SHARDY_OK, or if there are
 * warnings or notes; otherwise NULL is stored. A returned handle `*out` is NULL unless the status
 * is SHARDY_OK. Functions without a status return 0 or "" for an invalid handle or index. No
 * exception leaves the library.
 *
 * Strings. All are UTF-8. A returned string ends in a zero, is never NULL, and is valid until its
 * handle is destroyed.
 *
 * Threads. Every function is thread-safe. Objects are immutable, so threads may share them. An
 * object that is destroyed during a call of another thread is freed after that call.
 *
 * Compatibility. Within one SHARDY_C_API_VERSION, functions, fields and numbers may be added, and
 * keep their meaning. Structs that the caller fills begin with their size; zero is the default of
 * every field.
 */
#ifndef SHARDY_SHARDY_H
#define SHARDY_SHARDY_H

/* Names and headers of C. NOLINTBEGIN */
#include <shardy/version.h>
#include <stddef.h>
#include <stdint.h>

/* An enum may have any int value, also in C++; other values than its enumerators are errors. */
#ifdef __cplusplus
#define SHARDY_C_INT : int
#else
#define SHARDY_C_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version --------------------------------------------------------------------------------- */

/** Increases with each incompatible change. */
#define SHARDY_C_API_VERSION 1

/** Returns SHARDY_C_API_VERSION of the loaded library; the header may have another version. */
int shardy_c_api_version(void);
/** Returns SHARDY_VERSION of the loaded library: 10000 * major + 100 * minor + patch. */
int shardy_version(void);
/** Returns the version of the loaded library as text: "0.2.0". The text is never freed. */
const char* shardy_version_text(void);

/* ---- Diagnostics ----------------------------------------------------------------------------- */

typedef enum shardy_status SHARDY_C_INT {
  SHARDY_OK = 0,
  SHARDY_REFUSED = 1, /* the program, the text or the query is invalid, or a run failed */
  /* an argument is NULL, outside of its enum, or a wrong count */
  SHARDY_BAD_ARGUMENT = 2,
  SHARDY_BAD_HANDLE = 3, /* NULL, destroyed, or of another type */
  SHARDY_NO_MEMORY = 4,
  SHARDY_INTERNAL = 5 /* an error of the library itself: please report it */
} shardy_status;

/** Returns "ok", "refused", "bad argument", ...; "unknown status" for other values. The text is
 * never freed. */
const char* shardy_status_text(shardy_status status);

typedef enum shardy_severity SHARDY_C_INT {
  SHARDY_ERROR = 0,
  SHARDY_WARNING = 1,
  SHARDY_REMARK = 2,
  SHARDY_NOTE = 3
} shardy_severity;

/** A list of diagnostics, errors last. */
typedef struct shardy_diagnostics shardy_diagnostics;

/** Returns the number of diagnostics. */
size_t shardy_diagnostics_count(const shardy_diagnostics* diagnostics);
/** Returns the severity of a diagnostic; SHARDY_ERROR for an invalid index. */
shardy_severity shardy_diagnostics_severity(const shardy_diagnostics* diagnostics, size_t index);
/** Returns the message: the violated rule, with the value that violates it. */
const char* shardy_diagnostics_message(const shardy_diagnostics* diagnostics, size_t index);
/** Returns the location of a diagnostic: `12:7` in text, `/functions/0/args/1` in JSON; empty if
 * unknown. */
const char* shardy_diagnostics_location(const shardy_diagnostics* diagnostics, size_t index);
/** Returns a code that programs may test, such as `E_KERNEL`; usually empty. */
const char* shardy_diagnostics_code(const shardy_diagnostics* diagnostics, size_t index);
/** Returns the number of notes of a diagnostic: context, or a fix. */
size_t shardy_diagnostics_num_notes(const shardy_diagnostics* diagnostics, size_t index);
/** Returns a note of a diagnostic. */
const char* shardy_diagnostics_note(const shardy_diagnostics* diagnostics, size_t index,
                                    size_t note);
/** Returns all diagnostics as the command line prints them: with the name of the source text, the
 * source line, and a caret below the column. The result ends in a newline. */
const char* shardy_diagnostics_text(const shardy_diagnostics* diagnostics);
/** Destroys a list. Ignores NULL and invalid handles. */
void shardy_diagnostics_destroy(shardy_diagnostics* diagnostics);

/* ---- Texts ----------------------------------------------------------------------------------- */

/** A text that the library returns. */
typedef struct shardy_text shardy_text;

/** Returns the bytes, followed by a zero. */
const char* shardy_text_data(const shardy_text* text);
/** Returns the number of bytes, without the terminating zero. */
size_t shardy_text_size(const shardy_text* text);
/** Destroys a text. Ignores NULL and invalid handles. */
void shardy_text_destroy(shardy_text* text);

/* ---- Options --------------------------------------------------------------------------------- */

/** Options of the stages. NULL selects all defaults; a stage ignores fields of other stages. */
typedef struct shardy_options {
  size_t size;            /* sizeof(shardy_options) */
  const char* axis_cost;  /* costs of mesh axes, `x=ring:100GB/s:1us` (docs/resharding.md); NULL:
                             the costs in the meshes of the program */
  int strict;             /* not 0: replication beyond the given shardings is an error */
  int64_t max_live_bytes; /* reshards: limit per device of operand and result of a step, in bytes;
                             0: no limit */
  int num_threads;        /* runs: number of threads, at most 256; 0: one per core */
  int64_t max_steps;      /* runs: limit of ops per device; 0: no limit */
  int64_t max_bytes;      /* runs: limit of live bytes per device; 0: 16 GiB */
  double tolerance;       /* checks: relative tolerance; 0: a bound derived from the program */
  int exact;              /* checks: not 0: also compare over a prime field, bit by bit */
  int wide;               /* checks: not 0: also compare in f64 */
  double compile_seconds; /* compilations: limit in seconds, else E_DEADLINE; 0: no limit */
  int64_t compile_bytes;  /* compilations: limit of the estimated bytes of programs and tables, else
                             E_MEMORY_LIMIT; 0: no limit */
} shardy_options;

/* ---- Programs -------------------------------------------------------------------------------- */

/** A verified tensor program, with meshes and shardings. */
typedef struct shardy_program shardy_program;

typedef enum shardy_format SHARDY_C_INT {
  SHARDY_AUTO = 0, /* only for parsing: the format is detected from the beginning of the text */
  SHARDY_MLIR = 1, /* MLIR text of StableHLO with SDY, docs/mlir.md */
  SHARDY_JSON = 2, /* JSON, docs/json.md */
  /* only for printing: generic MLIR text, which any MLIR parser reads */
  SHARDY_GENERIC_MLIR = 3
} shardy_format;

/**
 * Parses and verifies a program, and imports shardings in the forms of GSPMD and of XLA's round
 * trip.
 *
 * `text` has `size` bytes of UTF-8, with or without a terminating zero. `name` is the name of the
 * text in errors, and may be NULL. Errors: REFUSED with all errors of the text; BAD_ARGUMENT for a
 * NULL text or an invalid format.
 */
shardy_status shardy_program_parse(const char* text, size_t size, const char* name,
                                   shardy_format format, shardy_program** out,
                                   shardy_diagnostics** diagnostics);

/** Prints a program, with the value names of the source. `format` must not be SHARDY_AUTO. Errors:
 * BAD_ARGUMENT, BAD_HANDLE. */
shardy_status shardy_program_print(const shardy_program* program, shardy_format format,
                                   shardy_text** out, shardy_diagnostics** diagnostics);

/** Destroys a program. Ignores NULL and invalid handles. */
void shardy_program_destroy(shardy_program* program);

/** Returns the number of arguments, or of results, of the main function; 0 without a main function.
 */
size_t shardy_program_num_arguments(const shardy_program* program);
size_t shardy_program_num_results(const shardy_program* program);
/** Returns the name of an argument in the source: `%x`. */
const char* shardy_program_argument_name(const shardy_program* program, size_t index);
/** Returns the type of an argument or result, `tensor<8x16xf32>`: the global type, or the local
 * type in a per-device program. */
const char* shardy_program_argument_type(const shardy_program* program, size_t index);
const char* shardy_program_result_type(const shardy_program* program, size_t index);
/** Returns the sharding of an argument or result, `<@mesh, [{"x"}, {}]>`; empty without one. */
const char* shardy_program_argument_sharding(const shardy_program* program, size_t index);
const char* shardy_program_result_sharding(const shardy_program* program, size_t index);

/* ---- Stages ---------------------------------------------------------------------------------- */

/** Propagates shardings, as `shardy propagate` does. In `*out`, every value has a sharding. Errors:
 * REFUSED, BAD_HANDLE. */
shardy_status shardy_program_propagate(const shardy_program* program, shardy_program** out,
                                       shardy_diagnostics** diagnostics);

/**
 * Partitions a program. `*out` is the per-device program, with local shapes, padding and
 * collectives. Options: axis_cost, strict. Errors: REFUSED: an op that cannot be partitioned, with
 * the location and the axes of the op; BAD_ARGUMENT, BAD_HANDLE.
 */
shardy_status shardy_program_partition(const shardy_program* program, const shardy_options* options,
                                       shardy_program** out, shardy_diagnostics** diagnostics);

/* ---- Automatic sharding ---------------------------------------------------------------------- */

/** Options of an automatic sharding. NULL selects all defaults. */
typedef struct shardy_search {
  size_t size;                  /* sizeof(shardy_search) */
  int64_t memory;               /* limit of the peak memory of a device, in bytes; 0: none */
  int ignore_annotations;       /* not 0: all shardings of the program may change */
  double operations_per_second; /* rate of a device; 0: 1e14 */
  int64_t effort;               /* limit of sweeps of the solver; 0: 400 */
  int64_t candidates;           /* limit of compiled choices; 0: 24 */
} shardy_search;

/** The costs of an automatic sharding. Times are modelled, per device. */
typedef struct shardy_search_result {
  double seconds_before;     /* time of the program with its own shardings */
  int64_t peak_bytes_before; /* peak memory of the program with its own shardings */
  double seconds;            /* time of the found program */
  int64_t peak_bytes;        /* peak memory of the found program */
  double model_seconds;      /* time of the model's choice, without rewrites of collectives */
  double bound_seconds;      /* lower bound of the times of all choices of the model */
  int is_proven;             /* 1: no choice of the model is faster */
  int is_changed;            /* 0: the program's own shardings are the best ones found */
  int fits; /* 0: no program within `memory` was found; the found one has the least peak */
} shardy_search_result;

/**
 * Searches for the shardings with which a program takes the least modelled time within the memory
 * limit, as `shardy autoshard` does. `*out` is the program with these shardings. `*result` gets the
 * costs; `result` may be NULL. Options: axis_cost, num_threads. Errors: REFUSED: a program without
 * a mesh, or an op that the search does not support; BAD_ARGUMENT, BAD_HANDLE.
 */
shardy_status shardy_program_autoshard(const shardy_program* program, const shardy_search* search,
                                       const shardy_options* options, shardy_program** out,
                                       shardy_search_result* result,
                                       shardy_diagnostics** diagnostics);

/* ---- Reasons of shardings -------------------------------------------------------------------- */

/** The decisions and conflicts of one propagation. An axis of a dim of a value has a chain of
 * decisions, from the annotation to this value. */
typedef struct shardy_explanation shardy_explanation;

/** Propagates the program and records every decision. Errors: REFUSED, BAD_HANDLE. */
shardy_status shardy_program_explain(const shardy_program* program, shardy_explanation** out,
                                     shardy_diagnostics** diagnostics);
/** Destroys an explanation. Ignores NULL and invalid handles. */
void shardy_explanation_destroy(shardy_explanation* explanation);

/** Fields of a value. All are strings; a field may be empty. */
typedef enum shardy_value_field SHARDY_C_INT {
  SHARDY_VALUE_NAME = 0,     /* `%x`, or `result 0` of a function */
  SHARDY_VALUE_TYPE = 1,     /* `tensor<8x16xf32>` */
  SHARDY_VALUE_OP = 2,       /* defining op: `stablehlo.add` */
  SHARDY_VALUE_LOCATION = 3, /* location of the defining op */
  SHARDY_VALUE_FUNCTION = 4, /* function that contains the value */
  SHARDY_VALUE_WRITTEN = 5,  /* annotation of the value */
  SHARDY_VALUE_SHARDING = 6  /* sharding after propagation */
} shardy_value_field;

/** Returns the number of values, in program order; results of functions are last. */
size_t shardy_explanation_num_values(const shardy_explanation* explanation);
const char* shardy_explanation_value(const shardy_explanation* explanation, size_t value,
                                     shardy_value_field field);
/** Returns the number of axes of all dims of a value. */
size_t shardy_explanation_num_axes(const shardy_explanation* explanation, size_t value);
/** Returns an axis, `"x"` or `"x":(1)2`. */
const char* shardy_explanation_axis(const shardy_explanation* explanation, size_t value,
                                    size_t axis);
/** Returns the index of the dim that the axis shards. */
size_t shardy_explanation_axis_dim(const shardy_explanation* explanation, size_t value,
                                   size_t axis);
/** Returns the number of decisions in the chain of an axis. Decision 0 is the last decision; the
 * last index is the annotation. */
size_t shardy_explanation_num_decisions(const shardy_explanation* explanation, size_t value,
                                        size_t axis);

typedef enum shardy_decision_field SHARDY_C_INT {
  /* `annotation`, `step`, `group` (a sharding group), `import` (by a pass) */
  SHARDY_DECISION_KIND = 0,
  SHARDY_DECISION_OP = 1,        /* op of a step: `stablehlo.dot_general` */
  SHARDY_DECISION_LOCATION = 2,  /* location of the op */
  SHARDY_DECISION_FACTOR = 3,    /* factor of a step: `i` */
  SHARDY_DECISION_AXIS = 4,      /* the propagated axis */
  SHARDY_DECISION_FROM = 5,      /* value that had the axis; for an annotation, its value */
  SHARDY_DECISION_DIRECTION = 6, /* `forward`, `backward`, `sideways` */
  SHARDY_DECISION_STRATEGY = 7   /* `basic`, `aggressive` */
} shardy_decision_field;

const char* shardy_explanation_decision(const shardy_explanation* explanation, size_t value,
                                        size_t axis, size_t decision, shardy_decision_field field);
/** Returns the number of the decision's step, starting at 0; -1 before the first step. */
int64_t shardy_explanation_decision_step(const shardy_explanation* explanation, size_t value,
                                         size_t axis, size_t decision);

typedef enum shardy_conflict_field SHARDY_C_INT {
  SHARDY_CONFLICT_OP = 0, /* op that could not propagate the axis */
  SHARDY_CONFLICT_LOCATION = 1,
  SHARDY_CONFLICT_FUNCTION = 2,
  SHARDY_CONFLICT_FACTOR = 3, /* factor that has the axis */
  SHARDY_CONFLICT_AXIS = 4,   /* axis that was not propagated */
  SHARDY_CONFLICT_REASON = 5, /* `other factor`, ... */
  SHARDY_CONFLICT_VALUE = 6,  /* value with the obstacle */
  SHARDY_CONFLICT_TARGET = 7, /* value that did not get the axis; empty: all values of the op */
  SHARDY_CONFLICT_WINNER = 8, /* factor or dim that got the axis; may be empty */
  SHARDY_CONFLICT_WHY = 9,    /* reason why the winner got the axis: `size: 256 > 64` */
  SHARDY_CONFLICT_NEEDED = 10 /* change of the program that would let the axis propagate */
} shardy_conflict_field;

/** Returns the number of conflicts: axes that an op could not propagate. */
size_t shardy_explanation_num_conflicts(const shardy_explanation* explanation);
const char* shardy_explanation_conflict(const shardy_explanation* explanation, size_t conflict,
                                        shardy_conflict_field field);

/* ---- Reshards -------------------------------------------------------------------------------- */

/** A reshard of a tensor. All strings are required, except `to_mesh`. */
typedef struct shardy_reshard {
  size_t size;         /* sizeof(shardy_reshard) */
  const char* mesh;    /* `<["x"=2, "y"=4]>` */
  const char* to_mesh; /* mesh of `to`: equal axes, another device order; NULL: `mesh` */
  const char* type;    /* `tensor<24x24xf32>`, or `24x24xf32` */
  const char* from;    /* `[{"x"}, {"y"}]`, may be followed by `, unreduced={"z"}` */
  const char* to;      /* as `from` */
} shardy_reshard;

/** A plan of a reshard: the cheapest sequence of collectives that the search found. */
typedef struct shardy_plan shardy_plan;

/** The cost per device, the maximum over all devices. */
typedef struct shardy_cost {
  int64_t bytes;      /* bytes sent, which equal the bytes received */
  int64_t messages;   /* messages that run one after the other */
  double seconds;     /* modelled time */
  int64_t live_bytes; /* operand, result and scratch memory of a step */
} shardy_cost;

/**
 * Plans a reshard. Options: axis_cost, max_live_bytes.
 * Errors: REFUSED: an invalid text, shardings that do not fit the type or each other, or no plan
 * within max_live_bytes; BAD_ARGUMENT.
 */
shardy_status shardy_plan_reshard(const shardy_reshard* reshard, const shardy_options* options,
                                  shardy_plan** out, shardy_diagnostics** diagnostics);
/** Returns the number of steps; 0 if no data have to be sent. */
size_t shardy_plan_num_steps(const shardy_plan* plan);
/** Returns a step: `sdy.all_gather [{"x"}, {}] out_sharding=<@mesh, [{}, {"y"}]>`. */
const char* shardy_plan_step(const shardy_plan* plan, size_t step);
/** Returns the local type after a step: `tensor<24x6xf32>`. */
const char* shardy_plan_step_type(const shardy_plan* plan, size_t step);
/** Returns the cost of a step; zeros for an invalid index. */
shardy_cost shardy_plan_step_cost(const shardy_plan* plan, size_t step);
/** Returns the cost of the plan. */
shardy_cost shardy_plan_cost(const shardy_plan* plan);
/** Returns 1 if no plan is cheaper; 0 if the mesh has too many axes for trying all plans. */
int shardy_plan_is_proven(const shardy_plan* plan);
/** Destroys a plan. Ignores NULL and invalid handles. */
void shardy_plan_destroy(shardy_plan* plan);

/* ---- Runs ------------------------------------------------------------------------------------ */

/** A global tensor in memory: row-major, without gaps, in the byte order of the machine. */
typedef struct shardy_tensor shardy_tensor;

/**
 * Makes a tensor from a copy of `size` bytes. `type` is `tensor<8x16xf32>` or `8x16xf32`. An
 * element of 2 or 4 bits takes one byte; an i1 is a byte 0 or 1. Errors: REFUSED: the type is not
 * static, the number of bytes is wrong, or a byte is not a valid element; BAD_ARGUMENT.
 */
shardy_status shardy_tensor_make(const char* type, const void* bytes, size_t size,
                                 shardy_tensor** out, shardy_diagnostics** diagnostics);
/** Returns the type: `tensor<8x16xf32>`. */
const char* shardy_tensor_type(const shardy_tensor* tensor);
size_t shardy_tensor_rank(const shardy_tensor* tensor);
/** Returns the size of a dim in elements; 0 for an invalid dim. */
int64_t shardy_tensor_dim(const shardy_tensor* tensor, size_t dim);
/** Returns the elements, aligned for their type; NULL for an invalid handle. */
const void* shardy_tensor_data(const shardy_tensor* tensor);
/** Returns the number of bytes of the elements. */
size_t shardy_tensor_size(const shardy_tensor* tensor);
/** Destroys a tensor. Ignores NULL and invalid handles. */
void shardy_tensor_destroy(shardy_tensor* tensor);

/**
 * Makes random inputs of the main function: floats in [-1, 1) and small integers. Equal seeds give
 * equal inputs. `tensors` gets `count` handles, and `count` must be the number of arguments. All
 * handles are NULL if the status is not SHARDY_OK. Errors: REFUSED: the main function is missing,
 * or the type of an argument is not static; BAD_ARGUMENT: another count; BAD_HANDLE.
 */
shardy_status shardy_program_random_inputs(const shardy_program* program, uint64_t seed,
                                           shardy_tensor** tensors, size_t count,
                                           shardy_diagnostics** diagnostics);

/**
 * Propagates, partitions and runs a program on all (simulated) devices of its mesh; a per-device
 * program runs unchanged. `inputs` has one global tensor per argument. `outputs` gets `num_outputs`
 * handles, and `num_outputs` must be the number of results. All handles are NULL if the status is
 * not SHARDY_OK. Options: all except tolerance, exact and wide.
 *
 * Errors: REFUSED: errors of the stages, inputs of other types, errors of the run with codes such
 * as `E_KERNEL`, `E_STEP_LIMIT`, `E_MEMORY_LIMIT`, and failed `check` ops; BAD_ARGUMENT: other
 * counts; BAD_HANDLE.
 */
shardy_status shardy_program_run(const shardy_program* program, const shardy_tensor* const* inputs,
                                 size_t num_inputs, const shardy_options* options,
                                 shardy_tensor** outputs, size_t num_outputs,
                                 shardy_diagnostics** diagnostics);

/* ---- Checks ---------------------------------------------------------------------------------- */

/** A comparison of the sharded run of a program with the unsharded run. */
typedef struct shardy_check shardy_check;

/**
 * Runs a program sharded and unsharded, and compares the results. If results differ, the status is
 * SHARDY_OK, and shardy_check_is_equal returns 0. Parameters and errors: as for shardy_program_run.
 * A per-device program is REFUSED, because it has no unsharded run.
 */
shardy_status shardy_program_check(const shardy_program* program,
                                   const shardy_tensor* const* inputs, size_t num_inputs,
                                   const shardy_options* options, shardy_check** out,
                                   shardy_diagnostics** diagnostics);
/** Returns 1 if every result is within its bound and every `check` op passes; 0 otherwise. */
int shardy_check_is_equal(const shardy_check* check);
/** Returns the largest |sharded - unsharded| of all results. */
double shardy_check_largest_difference(const shardy_check* check);
/** Returns the number of devices of the sharded run. */
size_t shardy_check_num_devices(const shardy_check* check);
/** Returns a line for each result: `result 0: equal (largest difference 0, allowed 0)`. */
const char* shardy_check_text(const shardy_check* check);
/** Destroys a check. Ignores NULL and invalid handles. */
void shardy_check_destroy(shardy_check* check);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
