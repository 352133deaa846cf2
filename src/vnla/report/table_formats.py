"""A table of a report in the forms people take it away in: for the terminal, as CSV, as JSON and as LaTeX.

The terminal and LaTeX show numbers as people read them, with the paper's beside; CSV and JSON have them in full.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from typing import Any

from rich import box
from rich.text import Text

from vnla.evaluation.spreadsheet import cell as spreadsheet_cell
from vnla.report.document import Cell, ReportTable, Row, RowGroup, Value, cell_text
from vnla.report.printing import Table as Printed

GROUP = "group"
"""The first column of a CSV file whose table has headings between its rows."""
PAPER_NOTE = "In parentheses: the paper."

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "±": r"$\pm$", "−": "$-$", "–": "--", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$",
    "α": r"$\alpha$", "β": r"$\beta$", "δ": r"$\delta$", "ε": r"$\epsilon$", "μ": r"$\mu$", "τ": r"$\tau$",
    "✓": r"\checkmark{}", "✗": r"$\times$", "“": "``", "”": "''", "…": r"\dots{}",
}  # fmt: skip
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def terminal(table: ReportTable) -> Printed:
    """The table for a console."""
    note = f"{table.note} {PAPER_NOTE}".strip() if table.has_paper else table.note
    made = Printed(
        title=Text(table.title), caption=Text(note) if note else None, box=box.SIMPLE_HEAD,
        title_justify="left", caption_justify="left", title_style="bold",
    )  # fmt: skip
    for number, column in enumerate(table.columns):
        made.add_column(Text(column), justify="right" if table.is_numeric(number) else "left", overflow="fold")
    for place, row in enumerate(table.rows):
        if isinstance(row, RowGroup):
            if place:
                made.add_section()
            made.add_row(Text(row.title, style="italic"))
        else:
            made.add_row(*map(_rich_cell, row))
    return made


def _rich_cell(cell: Cell) -> Text:
    text = Text(cell_text(cell))
    if isinstance(cell, Value) and cell.paper is not None:  # without its margin, which 80 columns have no room for
        text.append(f" ({cell.number(cell.paper)})", style="dim")
    return text


def csv_text(table: ReportTable) -> str:
    """The table with every number in full; a column of values becomes those of its mean, interval and the paper's figure."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    grouped = any(isinstance(row, RowGroup) for row in table.rows)
    values = [_holds_values(table, number) for number in range(len(table.columns))]
    head = [GROUP] if grouped else []
    for column, has_values in zip(table.columns, values, strict=True):
        head += [column, f"{column} low", f"{column} high", f"{column} paper"] if has_values else [column]
    writer.writerow(head)
    for group, row in _grouped(table):
        line: list[str | float | None] = [group] if grouped else []
        for cell, has_values in zip(row, values, strict=True):
            line += _csv_cells(cell)[: 4 if has_values else 1]
        writer.writerow(["" if each is None else spreadsheet_cell(each) for each in line])
    return stream.getvalue()


def _holds_values(table: ReportTable, column: int) -> bool:
    return any(isinstance(row[column], Value) for _, row in _grouped(table))


def _grouped(table: ReportTable) -> Iterator[tuple[str, Row]]:
    """The rows, each with the heading that it stands under."""
    title = ""
    for row in table.rows:
        if isinstance(row, RowGroup):
            title = row.title
        else:
            yield title, row


def _csv_cells(cell: Cell) -> list[str | float | None]:
    if not isinstance(cell, Value):
        return [cell, None, None, None]
    return [cell.mean if cell.known else None, cell.low, cell.high, cell.paper]


def table_as_dict(table: ReportTable) -> dict[str, Any]:
    """The table for a JSON file."""
    return {
        "kind": "table",
        "name": table.name,
        "title": table.title,
        "columns": list(table.columns),
        "rows": [{"group": group, "cells": [_json_cell(cell) for cell in row]} for group, row in _grouped(table)],
        "note": table.note,
        "command": table.command,
    }


def _json_cell(cell: Cell) -> Any:
    if not isinstance(cell, Value):
        return cell
    known = {
        "mean": cell.mean if math.isfinite(cell.mean) else None,
        "low": cell.low,
        "high": cell.high,
        "over": cell.over if cell.low is not None and cell.over else None,
        "unit": cell.unit,
        "paper": cell.paper,
        "paper_margin": cell.paper_margin,
    }
    return {name: value for name, value in known.items() if name in ("mean", "unit") or value is not None}


def latex(table: ReportTable) -> str:
    """The table for a paper; needs the packages booktabs, xcolor and, for check marks, amssymb."""
    columns = "".join("r" if table.is_numeric(i) else "l" for i in range(len(table.columns)))
    lines = [
        "% \\usepackage{booktabs,xcolor,amssymb}",
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escaped(table.title)}}}",
        f"  \\label{{tab:{table.name}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(map(escaped, table.columns))} \\\\",
        r"    \midrule",
    ]
    for place, row in enumerate(table.rows):
        if isinstance(row, RowGroup):
            lines += [r"    \midrule"] if place else []
            lines.append(f"    \\multicolumn{{{len(columns)}}}{{l}}{{\\textit{{{escaped(row.title)}}}}} \\\\")
        else:
            lines.append(f"    {' & '.join(map(_latex_cell, row))} \\\\")
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    lines += [f"  \\par\\smallskip {{\\footnotesize {escaped(table.note)}}}"] if table.note else []
    return "\n".join([*lines, r"\end{table}", ""])


def _latex_cell(cell: Cell) -> str:
    text = escaped(cell_text(cell))
    if isinstance(cell, Value) and cell.paper_text is not None:
        text += f" {{\\scriptsize\\textcolor{{gray}}{{{escaped(cell.paper_text)}}}}}"
    return text


def escaped(text: str) -> str:
    """Text that LaTeX sets as it stands."""
    return _SPECIAL.sub(lambda found: _LATEX[found[0]], text)
