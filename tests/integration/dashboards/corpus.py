"""Texts that a person could type to run something in somebody else's browser (catalogue J6)."""

SCRIPTS = (
    "<script>window.hit=1</script>",
    '</script><script>window.hit="x"</script>',
    '<img src=x onerror="window.hit=1">',
    '<a href="javascript:window.hit=1">click</a>',
    '"><svg onload="window.hit=1">',
    "' onmouseover='window.hit=1",
    '<b style="font-size:90px">bold</b><br>next',
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "%{customdata[0]}%{meta.role}",
    "{{ 7|add:7 }}{% csrf_token %}",
    "javascript:window.hit=1",
    "$\\href{javascript:window.hit=1}{x}$",
)
