import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { openText } from '../state/open.js';

/** A dialog for pasting a table from a spreadsheet or a document. */
export function PasteDialog({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  const text = useRef<HTMLTextAreaElement>(null);
  return (
    <dialog ref={dialog} aria-labelledby="paste-title">
      <form
        method="dialog"
        onSubmit={() => {
          if (!text.current) return;
          const pasted = text.current.value;
          text.current.value = '';
          if (pasted.trim() !== '') openText(pasted);
        }}
      >
        <h2 id="paste-title">Paste a table</h2>
        <p class="hint" id="paste-hint">
          Rows of a spreadsheet, or comma, semicolon or tab separated text. The first line may name the columns.
        </p>
        <textarea ref={text} rows={10} aria-labelledby="paste-title" aria-describedby="paste-hint" spellcheck={false} />
        <div class="buttons end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Use it
          </button>
        </div>
      </form>
    </dialog>
  );
}
