"""Input filter of Doxygen: `filtered` gives the text of a header with the comments that Doxygen searches for.

A comment at the end of a line belongs to what is declared there. Members with one meaning in many types are described here once: operators of
values, hashes, text forms, the members of typed views. No line is added or taken away, so that warnings name the right one.
"""

import re

# Descriptions of declarations without a comment of their own: the first pattern that fits is used.
STANDARD = [
    (r"operator==\(", "Compares by content."),
    (r"operator<=>\(", "A total order by content; equal values compare equal."),
    (r"operator<<\(", "Writes the text of the value."),
    (r"static (constexpr )?auto fields\(\)", "The attributes of the op and the members that hold them, for `view` and `attributes_of`."),
    (r"static Result<\w+> of\(const (ir::)?AttributeMap&", "Returns the view of attributes. Errors: those of the verifier for the op."),
    (r"static Result<\w+> of\(const Module& \w+, OpId", "Returns the view of an op. Errors: those of the verifier for the op."),
    (r"^ *AttributeMap attributes\(\) const", "Returns the attributes of an op from which the same view can be read."),
    (r"static Result<[\w:<>]+> read\(Scanner& \w+, AttributeAliases", "Reads the text form. Errors: the expected token and its place."),
    (r"static std::string print\(", "Returns a text from which `read` reads an equal value."),
    (r"static constexpr std::string_view kMnemonic =", "The name of the attribute in text: `#sdy.NAME`."),
    (r"static constexpr bool kBracketed =", "Whether `<` and `>` enclose the text of `print`."),
    (r"^Result<\w+> parse_\w+\(std::string_view text\);", "Reads the text form. Errors: the expected token and its place, line:column; text after the value."),
    (r"^(inline )?std::string to_string\(const \w+& \w+(, \w+ \w+|, const \w+& \w+)?\)", "Returns the text form. Spec: algebra 10."),
    (r"^std::string attribute_text\(const \w+& \w+\)", "Returns the text form as an attribute: `#sdy.NAME<..>`. Spec: algebra 10."),
    (r"^ +std::string difference\(", "Returns the lines in which the value differs from the expected one; empty if it is equal."),
    (r"^ +std::string wanted\(\) const", "Returns the expectation in words."),
    (r"^ +explicit \w+\(std::string_view \w+\)|^ +(TakesSteps|HasCollectives)\(std::initializer_list", "The expected value."),
    (r"struct TextForm<", "The text form of this type, for `parse` and `to_string`."),
    (r"^ *(virtual )?~\w+\(\)", "Destroys the object."),
    (r"^ *(\w+)\((const )?\1&&? ?\w*\)( noexcept)?( = default| = delete)?[;:{ ]", "Copies or moves. A moved-from value can only be assigned to or destroyed."),
    (r"^ *\w+& operator=\((const )?\w+(&&?)? ?\w*\)", "Copies or moves. A moved-from value can only be assigned to or destroyed."),
    (r"^ *(constexpr )?(\w+)\(\)( = default;|( noexcept)? *[:{])", "Makes the default value."),
]
# Contents of the namespaces; Doxygen omits the members of a namespace without comment.
NAMESPACES = {
    "shardy": "Meshes, axes, shardings, sharding rules, and reshards.",
    "shardy::ir": "Programs: types, ops, regions, modules, and the verifier.",
    "shardy::rules": "Sharding rules of ops.",
    "shardy::propagation": "Propagation of shardings to all values of a program.",
    "shardy::passes": "Passes over modules, pipelines of passes, and their registry.",
    "shardy::partitioning": "Lowering of a program with shardings to one per-device program.",
    "shardy::simulation": "Runs of programs on simulated devices.",
    "shardy::text": "Programs as StableHLO + SDY text and as JSON.",
    "shardy::checking": "All stages in one call, and checks of sharded runs against unsharded runs.",
    "shardy::report": "Costs of a sharded program, their places and their causes.",
    "shardy::autoshard": "Search for the annotations with the least cost.",
}
# Thread safety of every type without a comment about threads.
THREADS = "Threads: any number of threads may read an object; a thread that changes it must have it alone."
TYPE = re.compile(r"^ *(template <.*> )?(class|struct) [A-Z]\w*(<.*>)?( final)?( :(?!:).*)? \{")
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$")
# Builders of elementwise ops, which differ in their op only.
ELEMENTWISE = re.compile(r"^ *ValueId \w+\(.*\{ return (unary|binary)\(OpKind::(\w+)")
# `int64_t low = 0, high = 0;  // padding`: the comment is that of each.
SEVERAL = re.compile(r"^(?P<indent> +)(?P<type>[\w:<> ]+?) (?P<names>\w+( = [^,;]+)?(, \w+( = [^,;]+)?)+); *// (?P<text>.+)$")
TRAILING = re.compile(r'^(?P<code>(?:[^"/]|"(?:[^"\\]|\\.)*"|/(?!/))*[;,{}()\w>] *)// (?P<text>.+)$')
COMMENT = re.compile(r"^ *//")
PREPROCESSOR = re.compile(r"^ *#")
SPECIALIZATION = re.compile(r"^(requires.*\) )?(struct|class) (std::hash|fmt::formatter|Catch::StringMaker)<")
FIELD = re.compile(r"Field\{attr::k(\w+),\s*&(\w+)::(\w+)")


def view_members(text):
    """Attributes of the members of typed views: {(struct, member): attribute}."""
    return {(struct, member): re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name, struct, member in FIELD.findall(text)}


def continues(line, column):
    """A comment under a comment at the end of a line goes on with it."""
    return COMMENT.match(line) and column is not None and abs(line.index("//") - column) <= 1 and column > 12


def documented_here(line, struct, members):
    """The comment of a declaration that has none of its own, or None."""
    namespace = NAMESPACE.match(line)
    if namespace:
        return NAMESPACES.get(namespace[1])
    opens = re.match(r"struct (\w+) \{", line)
    if opens and any(name == opens[1] for name, _ in members):
        return "The attributes of the op of this name, read once."
    elementwise = ELEMENTWISE.match(line)
    if elementwise:
        return f"Elementwise `{elementwise[2]}`" + (" of two operands of one shape." if elementwise[1] == "binary" else ".")
    member = re.match(r" +[\w:<>*, ]+? (\w+)( = [^;]+)?;$", line)
    if member and (struct, member[1]) in members:
        return f"The attribute `{members[struct, member[1]]}`."
    return next((text for pattern, text in STANDARD if re.search(pattern, line)), None)


class Filter:
    def __init__(self, lines):
        self.lines = lines
        self.members = view_members("\n".join(lines))
        self.struct = None  # the view that is open
        self.column = None  # column of the comment at the end of the line before
        self.documented = False  # by a comment above
        self.above = ""  # that comment
        self.hidden = False  # in a specialization of std or fmt, which Doxygen cannot place

    def line(self, index):
        line = self.lines[index]
        if self.hidden:
            self.hidden = not line.startswith("};")
            return line if self.hidden else f"{line} /** @endcond */"
        if line.startswith("template <") and index + 1 < len(self.lines) and SPECIALIZATION.match(self.lines[index + 1]):
            self.hidden = True
            return f"/** @cond */ {line}"
        return self.commented(line)

    def commented(self, line):
        if line == "#include <shardy/ir/ops/all.inc>":
            return ""  # rows of ops, which are not declarations
        several = SEVERAL.match(line)
        if several:
            self.column, self.documented = None, False
            each = (f"/** {several['text']} */ {several['type']} {name};" for name in several["names"].split(", "))
            return several["indent"] + " ".join(each)
        opens = re.match(r"struct (\w+)", line)
        self.struct = opens[1] if opens else self.struct
        trailing = None if PREPROCESSOR.match(line) or COMMENT.match(line) else TRAILING.match(line)
        if continues(line, self.column):
            line = line.replace("//", "///<", 1)
        elif trailing and trailing["code"].strip() not in ("", "}"):
            self.column = line.index("//", len(trailing["code"]))
            line = f"{trailing['code']}///< {trailing['text']}"
        else:
            self.column = None
            text = None if self.documented or COMMENT.match(line) else documented_here(line, self.struct, self.members)
            if text:
                indent = line[: len(line) - len(line.lstrip())]
                line = f"{indent}/** {text} */ {line.lstrip()}"
        if TYPE.match(line) and "thread" not in self.above.lower():
            line = f"/** @details {THREADS} */ {line}"
        comment = re.match(r" *///(?!<)", line)
        goes_on = self.documented and line.lstrip().startswith("template")
        self.documented = bool(comment) or goes_on
        self.above = self.above + line if self.documented else ""
        return line


def filtered(text):
    """The text of a header with the comments that Doxygen looks for."""
    if 'extern "C"' in text:
        return re.sub(r"(?m)^( +[^/\n]*; *)/\* ", r"\1/**< ", text)
    lines = text.split("\n")
    reader = Filter(lines)
    return "\n".join(reader.line(index) for index in range(len(lines)))
