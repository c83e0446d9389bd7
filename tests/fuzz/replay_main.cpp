// Runs a fuzz target on stored inputs, without libFuzzer.
//
// usage: TARGET_replay CORPUS...             runs the inputs of files and folders
//        TARGET_replay --unpack FOLDER FILE  writes each input to a file of its own, for libFuzzer
//        TARGET_replay --pack FOLDER         prints the files of a folder as lines of a corpus
//
// A corpus is a file with one input per line, in which `\n`, `\\` and `\xHH` are bytes, or a folder
// with one input per file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the input of a line of a corpus.
std::string unescape(std::string_view line) {
  std::string input;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char kind = line[at] == '\\' && at + 1 < line.size() ? line[at + 1] : '\0';
    if (kind == 'x' && at + 3 < line.size()) {
      const std::size_t high = kHexDigits.find(line[at + 2]);
      const std::size_t low = kHexDigits.find(line[at + 3]);
      input += static_cast<char>(high * 16 + low);
      at += 3;
    } else if (kind == 'n' || kind == '\\') {
      input += kind == 'n' ? '\n' : '\\';
      ++at;
    } else {
      input += line[at];
    }
  }
  return input;
}

/// Returns the line of an input; the inverse of unescape.
std::string escape(std::string_view input) {
  std::string line;
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\\') {
      line += c == '\n' ? "\\n" : "\\\\";
    } else if (byte >= ' ' && byte <= '~') {
      line += c;
    } else {
      line += "\\x";
      line += kHexDigits[byte / 16];
      line += kHexDigits[byte % 16];
    }
  }
  return line;
}

/// Returns the inputs of a corpus, those of a folder in the order of their bytes.
std::vector<std::string> inputs_of(const std::filesystem::path& corpus) {
  std::vector<std::string> inputs;
  if (std::filesystem::is_directory(corpus)) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
      inputs.push_back(bytes_of(entry.path()));
    }
    std::sort(inputs.begin(), inputs.end());
    return inputs;
  }
  std::ifstream file(corpus, std::ios::binary);
  for (std::string line; std::getline(file, line);) inputs.push_back(unescape(line));
  return inputs;
}

void unpack(const std::filesystem::path& folder, const std::filesystem::path& corpus) {
  std::filesystem::create_directories(folder);
  const std::vector<std::string> inputs = inputs_of(corpus);
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const auto path = folder / (corpus.stem().string() + "_" + std::to_string(index));
    std::ofstream(path, std::ios::binary) << inputs[index];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--unpack") {
    unpack(words[1], words[2]);
    return 0;
  }
  if (words.size() == 2 && words[0] == "--pack") {
    for (const std::string& input : inputs_of(words[1])) std::puts(escape(input).c_str());
    return 0;
  }
  int count = 0;
  for (const std::string& corpus : words) {
    const std::vector<std::string> inputs = inputs_of(corpus);
    if (inputs.empty()) {
      std::printf("%s: no inputs\n", corpus.c_str());
      return 1;
    }
    for (const std::string& input : inputs) {
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    }
    count += static_cast<int>(inputs.size());
  }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
