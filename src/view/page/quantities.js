"use strict";

// Numbers in the form of the command line's text reports (src/support/quantities.cpp), with equal digits and units.

/// Returns an integer, or its digits, with separators, such as "1,234,567".
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function signed_grouped(number) {
  return (number > 0 ? "+" : "") + grouped(number);
}

function bytes_text(bytes) {
  return grouped(bytes) + (Number(bytes) === 1 ? " byte" : " bytes");
}

/// Returns the power of ten of the first digit of the number rounded to three digits.
function exponent_of(number) {
  return Number(number.toExponential(2).split("e")[1]);
}

/// Returns three significant digits, such as "0.279", "1.92" or "33.5". From 1,000 on, returns an integer with separators.
function three_digits(number) {
  if (number === 0) return "0.00";
  const exponent = exponent_of(number);
  if (exponent < -4 || exponent > 15) return number.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2");
  if (exponent > 2) return grouped(Math.round(number));
  return number.toFixed(2 - exponent);
}

const kBinaryUnits = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Returns the number in the largest unit in which it is at least 1, such as "3.24 KiB" or "936 bytes".
function short_bytes(bytes) {
  if (Math.abs(bytes) < 1024) return bytes_text(bytes);
  let scaled = bytes / 1024;
  let unit = 0;
  for (; Math.abs(scaled) >= 1023.5 && unit + 1 < kBinaryUnits.length; ++unit) scaled /= 1024;
  return three_digits(scaled) + " " + kBinaryUnits[unit];
}

/// Returns the multiples of a power of two between two numbers of bytes: at most `most` and one.
function byte_ticks(low, high, most) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, high - low) / most)));
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) found.push(tick);
  return found;
}

/// Returns a multiple of a power of two without the zeros after its point: "8 MiB".
function tick_bytes(bytes) {
  return bytes === 0 ? "0" : short_bytes(bytes).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");
}

function scaled_text(number, units) {
  const exponent = exponent_of(number);
  const [name, power] = units.find(([, least]) => exponent >= least) ?? units[units.length - 1];
  return three_digits(number / 10 ** power) + " " + name;
}

/// Returns a time in ns, us, ms or s with three significant digits.
function time_text(seconds) {
  return seconds === 0 ? "0 ns" : scaled_text(seconds, [["s", 0], ["ms", -3], ["us", -6], ["ns", -9]]);
}

/// Returns a number of operations such as "27,860"; from 1e6 on "1.23 M".
function operations_number(operations) {
  if (Math.abs(operations) < 999999.5) return grouped(Math.round(operations));
  return scaled_text(operations, [["P", 15], ["T", 12], ["G", 9], ["M", 6]]);
}

function percent_text(share) {
  return (100 * share).toFixed(1) + " %";
}

/// Returns the relative change with its sign, such as "-6.2 %"; "from 0" if only `before` is 0.
function change_text(before, after) {
  if (before === after) return "=";
  if (before === 0) return "from 0";
  const change = 100 * (after / before - 1);
  return (change < 0 ? "" : "+") + change.toFixed(1) + " %";
}

/// Returns a count with its word, such as "1 collective" or "6 collectives".
function counted(number, word) {
  return grouped(number) + " " + word + (Number(number) === 1 ? "" : "s");
}
