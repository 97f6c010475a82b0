import { useSignal, useSignalEffect } from '@preact/signals';
import { addressOf, route } from '../route.js';
import { openLocalFile } from '../state/open.js';

/** Accepts files that are dropped anywhere on the page. Otherwise the browser would leave the page to show the file. */
export function DropTarget() {
  const dropping = useSignal(false);
  const refused = useSignal('');
  useSignalEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dropping.value = true;
      refused.value = '';
    };
    const leave = (event: DragEvent): void => {
      if (!event.relatedTarget) dropping.value = false;
    };
    const drop = (event: DragEvent): void => {
      // Text may be dropped into fields.
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dropping.value = false;
      const { files, items } = event.dataTransfer;
      refused.value = reasonNotOpened(files, items);
      if (files.length === 0 || refused.value !== '') return;
      openLocalFile(files[0]);
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
  if (dropping.value) return <div class="dropping">Drop the file to open it</div>;
  if (refused.value === '') return null;
  return (
    <div class="refused" role="alert">
      <p>{refused.value}</p>
      <button type="button" onClick={() => (refused.value = '')}>
        Close
      </button>
    </div>
  );
}

/** The reason why a dropped item is not opened; empty if it is opened. */
function reasonNotOpened(files: FileList, items: DataTransferItemList): string {
  if (files.length > 1) return `${files.length} files were dropped, and none was opened: the page takes one at a time.`;
  const isFolder = items[0]?.webkitGetAsEntry?.()?.isDirectory ?? false;
  return isFolder ? 'That is a folder. Drop a file instead.' : '';
}
