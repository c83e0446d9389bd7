#!/usr/bin/env python3
"""The public functions of the headers, as clang reads them.

scripts/public_functions.py                one line for each: name, parameters, result
scripts/public_functions.py --available    nothing; ends with 0 if the Debian packages python3-clang-14 and clang-14 are here
`read()` is for other scripts.
"""

import dataclasses
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
DEBIAN_PACKAGES = "/usr/lib/python3/dist-packages"  # where another python3 than Debian's finds the bindings


def bindings():
    """The module clang.cindex, or None."""
    for path in (None, DEBIAN_PACKAGES):
        if path:
            sys.path.append(path)
        try:
            import clang.cindex

            clang.cindex.Config.library_file = clang.cindex.Config.library_file or "libclang-14.so.1"
            clang.cindex.Index.create()
            return clang.cindex
        except (ImportError, OSError):
            continue
        except Exception as error:  # LibclangError is not known before the import
            if type(error).__name__ != "LibclangError":
                raise
    return None


@dataclasses.dataclass(frozen=True)
class Function:
    header: str  # shardy/algebra/mesh.hpp
    line: int
    name: str  # shardy::Mesh::axis_size
    kind: str  # function, static, method, constructor, operator
    owner: str  # the type shardy::Mesh, empty for free functions
    is_const: bool
    is_rvalue: bool  # declared with &&
    is_template: bool
    parameters: tuple  # (type, name) each, types with all their names
    result: str
    comment: str

    def signature(self):
        return f"{self.name}({', '.join(kind for kind, _ in self.parameters)})" + (" const" if self.is_const else "")


def public_headers():
    return [
        header.relative_to(INCLUDE).as_posix()
        for header in sorted((INCLUDE / "shardy").rglob("*.hpp"))
        if "detail" not in header.parts and not LEFT_OUT.intersection(header.parts)
    ]


# Headers that need Catch2, or have only templates for any value; tests/testing and tests/reflection use all of it.
LEFT_OUT = {"testing.hpp", "testing", "reflection.hpp", "reflection"}


def qualified(cursor, kinds):
    names = []
    while cursor is not None and cursor.kind != kinds.TRANSLATION_UNIT:
        if cursor.spelling:
            names.append(cursor.spelling)
        cursor = cursor.semantic_parent
    return "::".join(reversed(names))


def clean_comment(raw):
    lines = (line.strip().lstrip("/").lstrip("<").strip() for line in (raw or "").splitlines())
    return " ".join(line for line in lines if line)


class Reader:
    def __init__(self, cindex, files):
        self.cindex = cindex
        self.kinds = cindex.CursorKind
        self.files = files
        self.found = {}
        self.aggregates = {}
        self.enums = {}

    def visit(self, cursor):
        for child in cursor.get_children():
            place = child.location.file
            if child.kind == self.kinds.NAMESPACE:
                if child.spelling not in ("detail", "std", "fmt", "") and (place is None or place.name in self.files):
                    self.visit(child)
                continue
            if place is None or place.name not in self.files:
                continue
            self.declaration(child)

    def declaration(self, child):
        kinds = self.kinds
        if child.kind in (kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.CLASS_TEMPLATE):
            if child.is_definition() and self.is_public(child):
                self.aggregate(child)
                self.visit(child)
        elif child.kind == kinds.ENUM_DECL and child.is_definition() and self.is_public(child):
            self.enums[child.type.spelling] = [each.spelling for each in child.get_children() if each.kind == kinds.ENUM_CONSTANT_DECL]
        elif child.kind in (kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.CONSTRUCTOR, kinds.FUNCTION_TEMPLATE):
            if self.is_public(child):
                self.function(child)

    def aggregate(self, cursor):
        kinds = self.kinds
        members = list(cursor.get_children())
        fields = [each for each in members if each.kind == kinds.FIELD_DECL]
        is_class = any(each.kind in (kinds.CONSTRUCTOR, kinds.CXX_BASE_SPECIFIER) for each in members)
        if cursor.kind != kinds.CLASS_TEMPLATE and not is_class and all(self.is_public(each) for each in fields):
            if not any(each.kind == kinds.CXX_METHOD and each.is_virtual_method() for each in members):
                self.aggregates[cursor.type.spelling] = [(each.type.get_canonical().spelling, each.spelling) for each in fields]

    def is_public(self, cursor):
        return cursor.access_specifier not in (self.cindex.AccessSpecifier.PRIVATE, self.cindex.AccessSpecifier.PROTECTED)

    def function(self, cursor):
        if cursor.semantic_parent != cursor.lexical_parent:
            return  # a body outside of its class
        if cursor.availability == self.cindex.AvailabilityKind.NOT_AVAILABLE:
            return  # deleted
        if cursor.kind == self.kinds.CONSTRUCTOR and cursor.semantic_parent.is_abstract_record():
            return
        file = self.files[cursor.location.file.name]
        if "/detail/" in file:
            return
        parent = cursor.semantic_parent
        is_member = parent.kind in (self.kinds.CLASS_DECL, self.kinds.STRUCT_DECL, self.kinds.CLASS_TEMPLATE)
        owner = parent.type.spelling if is_member and parent.kind != self.kinds.CLASS_TEMPLATE else parent.spelling if is_member else ""
        if cursor.spelling.startswith("operator") and not cursor.spelling[8:9].isalnum():
            kind = "operator"
        elif cursor.kind == self.kinds.CONSTRUCTOR or (is_member and cursor.spelling.split("<")[0] == parent.spelling):
            kind = "constructor"
        elif not is_member:
            kind = "function"
        else:
            kind = "static" if cursor.is_static_method() else "method"
        is_template = cursor.kind == self.kinds.FUNCTION_TEMPLATE or parent.kind == self.kinds.CLASS_TEMPLATE
        parameters = tuple((argument.type.get_canonical().spelling, argument.spelling) for argument in cursor.get_children()
                           if argument.kind == self.kinds.PARM_DECL)
        function = Function(
            header=file,
            line=cursor.location.line,
            name=qualified(cursor, self.kinds),
            kind=kind,
            owner=owner,
            is_const=cursor.is_const_method(),
            is_rvalue=cursor.type.get_ref_qualifier() == self.cindex.RefQualifierKind.RVALUE,
            is_template=is_template,
            parameters=parameters,
            result=cursor.result_type.spelling,
            comment=clean_comment(cursor.raw_comment),
        )
        old = self.found.get(function.signature())
        if old is None or (function.comment and not old.comment):
            self.found[function.signature()] = function


def read():
    """Contents of the public headers: `functions`, by header and line; the fields of each aggregate; the words of each enum."""
    cindex = bindings()
    headers = public_headers()
    text = "".join(f"#include <{header}>\n" for header in headers)
    include = subprocess.run(["clang-14", "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    arguments = ["-std=c++20", f"-I{INCLUDE}", "-xc++", "-fparse-all-comments", f"-resource-dir={include}"]
    unit = cindex.Index.create().parse("all.cpp", arguments, unsaved_files=[("all.cpp", text)],
                                       options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    wrong = [str(diagnostic) for diagnostic in unit.diagnostics if diagnostic.severity >= cindex.Diagnostic.Error]
    if wrong:
        raise RuntimeError("the headers do not compile:\n" + "\n".join(wrong))
    # Types of public functions may be declared in headers that are not.
    files = {str(header): header.relative_to(INCLUDE).as_posix() for header in (INCLUDE / "shardy").rglob("*.hpp")}
    reader = Reader(cindex, files)
    reader.visit(unit.cursor)
    reader.functions = sorted(reader.found.values(), key=lambda each: (each.header, each.line))
    return reader


def functions():
    """All public functions that can be called, by header and line."""
    return read().functions


def main():
    if "--available" in sys.argv:
        sys.exit(0 if bindings() is not None and shutil.which("clang-14") else 1)
    if bindings() is None:
        sys.exit("error: no clang bindings here (Debian package python3-clang-14)")
    for each in functions():
        print(f"{each.header}:{each.line}: {each.kind} {each.signature()} -> {each.result}{' template' if each.is_template else ''}")


if __name__ == "__main__":
    main()
