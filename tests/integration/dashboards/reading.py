"""How the dashboards' tests read a page: its HTML, its charts' figures, their traces."""

import json
import re
from typing import Any

import plotly.graph_objects as go
from django.test import Client


def page(client: Client, path: str) -> str:
    """The page's HTML; anything but a success fails the test."""
    response = client.get(path)
    assert response.status_code == 200, (path, response.status_code)
    return response.content.decode()


def figure(html: str, name: str) -> dict[str, Any]:
    """The figure that the page carries for its chart of this id; Plotly knows all that it says."""
    block = re.search(rf'<script id="{name}-figure" type="application/json">(.*?)</script>', html)
    assert block is not None, f"no chart {name}"
    found: dict[str, Any] = json.loads(block[1])
    go.Figure(found)  # Raises ValueError where an attribute or a value is none of Plotly's.
    return found


def trace(html: str, name: str, label: str) -> dict[str, Any]:
    """One trace of a chart, by its name."""
    (found,) = [each for each in figure(html, name)["data"] if each["name"] == label]
    return dict(found)


def column_of(response: Any, name: str) -> list[str]:
    """The cells of a column of the table of questions, from the top."""
    rows = response.context["table"].rows
    return [cell for row in rows for heading, cell in row if heading.column.name == name]
