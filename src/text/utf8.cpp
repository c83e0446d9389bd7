#include "text/utf8.hpp"

#include <cstdint>

namespace shardy::text {

namespace {

uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<uint8_t>(text[index]);
}

/// Bytes that the lead byte announces; 0 if it leads nothing.
std::size_t sequence_size(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// The range of the second byte keeps out overlong forms, surrogates and what is past U+10FFFF.
bool second_byte_fits(uint8_t lead, uint8_t second) {
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}

}  // namespace

std::size_t code_point_size(std::string_view text) {
  const uint8_t lead = byte_at(text, 0);
  const std::size_t size = sequence_size(lead);
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t index = 1; index < size; ++index) {
    if ((byte_at(text, index) & 0xC0U) != 0x80) return 0;
  }
  return size == 1 || second_byte_fits(lead, byte_at(text, 1)) ? size : 0;
}

}  // namespace shardy::text
