import { useSignal, useSignalEffect } from '@preact/signals';
import { addressOf, route } from '../route.js';
import { beginFile } from '../state/begin.js';

/** The whole page takes files that are dropped on it: where none did, the browser would leave the page for them. */
export function DropTarget() {
  const dropping = useSignal(false);
  useSignalEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dropping.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (!event.relatedTarget) dropping.value = false;
    };
    const drop = (event: DragEvent): void => {
      // Text may be dropped into fields.
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dropping.value = false;
      const file = event.dataTransfer.files[0];
      if (!file) return;
      beginFile(file);
      if (route.peek().path[0] === 'learn') location.hash = addressOf(['explore']);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  });
  return dropping.value ? <div class="dropping">Let go to open the file</div> : null;
}
