#!/usr/bin/env python3
"""Completion and the manual know what the help pages show, of every command.

completion_test.py SHARDY
"""
import re
import shutil
import subprocess
import sys
import unittest

SHARDY = sys.argv[1]


def shardy(*arguments):
    return subprocess.run([SHARDY, *arguments], capture_output=True, text=True, timeout=60, check=False)


def commands():
    listed = shardy("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


def flags(command):
    """Options of the help page: `-o,--output`, `--emit`; of opt the passes, too."""
    lines = re.findall(r"^  (-\S+)", shardy("help", command).stdout, re.MULTILINE)
    return {flag for line in lines for flag in line.split(",") if not flag.startswith("--no-") or command == "opt"}


def bash(words):
    """Completions of bash for the last word of a command line."""
    script = f"""source <({SHARDY} completion bash)
COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}
_shardy
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    return set(done.stdout.split()), done.stderr


class Completion(unittest.TestCase):
    def test_every_command_has_two_examples(self):
        self.assertGreaterEqual(len(commands()), 10)
        for command in commands():
            with self.subTest(command):
                done = shardy("help", command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, shardy(command, "--help").stdout)
                examples = done.stdout.split("Examples:\n")[1].strip().split("\n")
                self.assertGreaterEqual(len(examples), 2)
                for example in examples:
                    self.assertIn("shardy", example)

    def test_examples_name_options_that_there_are(self):
        for command in commands():
            for example in shardy("help", command).stdout.split("Examples:\n")[1].strip().split("\n"):
                used = set(re.findall(r" (--?[a-z][-a-z]*)", example.split("shardy " + command)[-1]))
                self.assertLessEqual(used, flags(command), example)

    def test_help_of_an_unknown_command(self):
        done = shardy("help", "partitoin")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith("error: no such command: partitoin\nnote: did you mean partition?\n"), done.stderr)

    @unittest.skipIf(shutil.which("bash") is None, "no bash")
    def test_bash(self):
        self.assertEqual(bash(["shardy", ""]), (set(commands()), ""))
        self.assertEqual(bash(["shardy", "pa"]), ({"partition"}, ""))
        self.assertEqual(bash(["shardy", "help", "pro"]), ({"propagate"}, ""))
        self.assertEqual(bash(["shardy", "completion", ""]), ({"bash", "zsh", "fish"}, ""))
        self.assertEqual(bash(["shardy", "partition", "--collectives", ""]), ({"spmd", "stablehlo"}, ""))
        self.assertEqual(bash(["shardy", "partition", "--collectives", "=", "st"]), ({"stablehlo"}, ""))
        for command in commands():
            with self.subTest(command):
                self.assertLessEqual(flags(command), bash(["shardy", command, "-"])[0])

    @unittest.skipIf(shutil.which("fish") is None, "no fish")
    def test_fish(self):
        for line, wanted in (("shardy par", {"partition"}), ("shardy completion ", {"bash", "zsh", "fish"}),
                             ("shardy convert --emit ", {"json", "mlir"}), ("shardy run --che", {"--check"})):
            done = subprocess.run(["fish", "--no-config", "-c", f"source (psub < /dev/stdin); complete -C '{line}'"],
                                  input=shardy("completion", "fish").stdout, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual({offer.split("\t")[0] for offer in done.stdout.splitlines()}, wanted, done.stderr)

    def test_all_shells_and_the_manual_know_all_options(self):
        texts = {shell: shardy("completion", shell).stdout for shell in ("bash", "zsh", "fish")}
        texts["manual"] = shardy("man-page").stdout.replace("\\-", "-")
        for command in commands():
            for flag in flags(command):
                bare = flag.lstrip("-")
                wanted = {"bash": flag, "zsh": flag, "manual": flag,
                          "fish": f" -l {bare}" if flag.startswith("--") else f" -s {bare}"}
                for name, text in texts.items():
                    self.assertIn(wanted[name], text, (command, name))

    def test_scripts_are_well_formed(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            if shutil.which(shell) is None:
                continue
            done = subprocess.run(check, input=shardy("completion", shell).stdout, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    @unittest.skipIf(shutil.which("groff") is None, "no groff")
    def test_the_manual_is_formatted_without_a_warning(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-Wbreak", "-z"], input=shardy("man-page").stdout, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_shells_are_refused(self):
        done = shardy("completion", "tcsh")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("allowed: bash, zsh, fish\n", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
