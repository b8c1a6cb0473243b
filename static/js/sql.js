// Writing SQL: the text area becomes an editor with colours and suggestions. It stays the field that
// is posted, and without this script it is the field that is typed into.
"use strict";
(() => {
  const field = document.getElementById("id_sql");
  const data = document.getElementById("sql-words");
  if (!field || !data || !window.CodeMirror) return;
  const { EditorState, EditorView, HighlightStyle, StreamLanguage, keymap, tags } = CodeMirror;
  const { nonce, dataset } = document.currentScript;
  const words = JSON.parse(data.textContent);

  const known = (text) => text.toUpperCase().match(/[A-Z_]+/g) ?? [];
  const functions = new Set(words.functions.flatMap((word) => known(word.label).slice(0, 1)));
  const keywords = new Set([...words.keywords, "EXTRACT FROM NULL"].flatMap(known));
  for (const name of functions) keywords.delete(name);

  const kindOf = (word) => {
    if (functions.has(word)) return "typeName";
    return keywords.has(word) ? "keyword" : "variableName";
  };
  const language = StreamLanguage.define({
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(/^--.*/)) return "comment";
      if (stream.match(/^'(?:[^']|'')*'?/)) return "string";
      if (stream.match(/^"(?:[^"]|"")*"?/)) return "variableName";
      if (stream.match(/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/)) return "number";
      const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u);
      if (word) return kindOf(word[0].toUpperCase());
      stream.next();
      return null;
    },
  });
  const colours = HighlightStyle.define(
    ["keyword", "typeName", "string", "number", "comment"].map((name) => ({ tag: tags[name], class: `sql-${name}` })),
  );

  // What can stand at the cursor.
  const NAME = String.raw`("(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_]*)`;
  const COMPARED = new RegExp(String.raw`${NAME}\s*(?:=|<>|!=|<=?|>=?)\s*$`, "u");
  const LISTED = new RegExp(String.raw`${NAME}\s+(?:NOT\s+)?IN\s*\((?:\s*'(?:[^']|'')*'\s*,)*\s*$`, "iu");
  const WORD = /[\p{L}_][\p{L}\p{N}_]*$/u;
  const offer = (word, boost) => ({ label: word.label, apply: word.apply, detail: word.detail, boost });
  const everything = [
    ...words.columns.map((word) => offer(word, 2)),
    ...words.functions.map((word) => offer(word, 1)),
    ...words.keywords.map((word) => ({ label: word, boost: 0 })),
  ];

  const whole = new Set(everything.map((option) => option.label));

  const columnNamed = (written) => {
    const plain = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : null;
    return words.columns.find((column) =>
      plain === null ? column.label.toLowerCase() === written.toLowerCase() : column.label === plain);
  };
  // Where the text before the cursor is inside quotes: which, and since where.
  const openQuote = (before) => {
    for (const found of before.matchAll(/'(?:[^']|'')*('|$)|"(?:[^"]|"")*("|$)/g)) {
      if (!found[1] && !found[2]) return { mark: found[0][0], at: found.index };
    }
    return null;
  };
  const within = (labels, mark, from, after) => ({
    from,
    options: labels.map((label) => ({
      label, apply: label.replaceAll(mark, mark + mark) + (after === mark ? "" : mark),
    })),
    validFor: new RegExp(`^[^${mark}]*$`),
  });

  const suggest = (context) => {
    const before = context.state.sliceDoc(0, context.pos);
    const after = context.state.sliceDoc(context.pos, context.pos + 1);
    const open = openQuote(before);
    if (open?.mark === '"') {
      return within(words.columns.map((column) => column.label), '"', open.at + 1, after);
    }
    if (open) {
      const head = before.slice(0, open.at);
      if (/DATE_TRUNC\s*\(\s*$/i.test(head)) {
        const periods = [...new Set(words.columns.flatMap((column) => column.periods))];
        return within(periods, "'", open.at + 1, after);
      }
      const name = (head.match(COMPARED) ?? head.match(LISTED))?.[1];
      return name ? within(columnNamed(name)?.values ?? [], "'", open.at + 1, after) : null;
    }
    const word = before.match(WORD)?.[0] ?? "";
    if (!context.explicit && (!word || whole.has(word))) return null;
    const afterFrom = /\bFROM\s+$/i.test(before.slice(0, before.length - word.length))
      && !/\bEXTRACT\s*\(\s*[A-Z]+\s+FROM\s+$/i.test(before.slice(0, before.length - word.length));
    return {
      from: context.pos - word.length,
      options: afterFrom ? [offer(words.table, 0)] : everything,
      // A name that is complete closes the list, so that Enter is a new line again.
      validFor: (text) => /^[\p{L}\p{N}_]*$/u.test(text) && !whole.has(text),
    };
  };

  const copyBack = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    field.value = update.state.doc.toString();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  // A browser that types over a selection keeps its style inline, which no policy of ours allows. What
  // is typed over is what the page has selected: the editor may not have heard of it yet.
  const typedOver = (view) => {
    const range = document.getSelection().getRangeAt(0);
    return {
      from: view.posAtDOM(range.startContainer, range.startOffset),
      to: view.posAtDOM(range.endContainer, range.endOffset),
    };
  };
  const overSelection = EditorView.domEventHandlers({
    beforeinput(event, view) {
      if (event.inputType !== "insertText" || event.isComposing) return false;
      const { from, to } = typedOver(view);
      if (from === to) return false;
      const insert = event.data ?? "";
      event.preventDefault();
      view.dispatch({
        changes: { from, to, insert }, selection: { anchor: from + insert.length },
        userEvent: "input.type", scrollIntoView: true,
      });
      return true;
    },
  });
  const send = () => { field.form.requestSubmit(); return true; };

  const keys = document.getElementById("sql-keys");
  const view = new EditorView({
    doc: field.value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      EditorView.editorAttributes.of({ class: "sql-editor" }),
      EditorState.phrases.of({ Completions: dataset.suggestions }),
      EditorView.contentAttributes.of({
        "aria-labelledby": "sql-label", "aria-describedby": "sql-keys", translate: "no", spellcheck: "false",
      }),
      language,
      CodeMirror.syntaxHighlighting(colours),
      CodeMirror.bracketMatching(),
      CodeMirror.history(),
      // As many as fit, and others as one goes on: what scrolls would have to take the focus.
      CodeMirror.autocompletion({ override: [suggest], icons: false, maxRenderedOptions: 10 }),
      // Tab takes a suggestion or else moves on, as everywhere: the keyboard is never caught here.
      keymap.of([
        { key: "Tab", run: CodeMirror.acceptCompletion },
        { key: "Mod-Enter", run: send },
        ...CodeMirror.completionKeymap,
        ...CodeMirror.historyKeymap,
        ...CodeMirror.defaultKeymap,
      ]),
      EditorView.lineWrapping,
      overSelection,
      copyBack,
    ],
  });
  field.after(view.dom);
  field.hidden = true;
  keys.hidden = false;
  const label = document.getElementById("sql-label");
  label.removeAttribute("for");
  label.addEventListener("click", () => view.focus());

  // A browser may fill the field in again when one comes back to the page.
  window.addEventListener("pageshow", () => {
    const text = view.state.doc.toString();
    if (field.value !== text) view.dispatch({ changes: { from: 0, to: text.length, insert: field.value } });
  });

  for (const name of document.querySelectorAll(".sql-columns [data-insert]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-sm btn-quiet font-monospace";
    button.textContent = name.dataset.insert;
    button.addEventListener("click", () => {
      view.dispatch(view.state.replaceSelection(name.dataset.insert));
      view.focus();
    });
    name.replaceWith(button);
  }
})();
