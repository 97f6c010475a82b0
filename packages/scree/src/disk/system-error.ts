import { ScreeError } from '@scree/core';
import { FileError } from '@scree/files';
import { hideSecrets } from '../database/hide-secrets.js';
import { errorCode } from './error-code.js';

const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'];
const NOT_ALLOWED = ['EACCES', 'EPERM', 'EROFS'];
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Turns an error of the operating system into one of ours. Returns other errors unchanged. */
export function systemError(error: unknown, named: string, doing: 'read' | 'written'): unknown {
  const code = errorCode(error) ?? '';
  if (!(error instanceof Error) || error instanceof ScreeError || !/^E[A-Z0-9]+$/.test(code)) return error;
  // An address that scree does not read is taken for the name of a file.
  const path = hideSecrets(named);
  const details = { value: code };
  if (NOT_THERE.includes(code)) {
    const what = doing === 'read' ? `There is no file ${path}` : `${path} cannot be written: its folder does not exist`;
    return new FileError('NO_FILE', path, `${what} (${code}). Check the spelling and the folder.`, details);
  }
  if (NOT_ALLOWED.includes(code)) {
    const message = `${path} must not be ${doing} by this user (${code}). Change its permissions or choose another place.`;
    return new FileError('NO_ACCESS', path, message, details);
  }
  if (code === 'EBUSY') {
    const message = `${path} cannot be ${doing}: another program has it open (${code}). Close it there and try again.`;
    return new FileError('NO_ACCESS', path, message, details);
  }
  if (FULL.includes(code)) {
    const message = `${path} cannot be written: the disk is full (${code}). Make room or choose another place; no incomplete file is left.`;
    return new FileError('DISK_FULL', path, message, details);
  }
  if (code === 'EISDIR') {
    return new FileError('BAD_FILE', path, `${path} is a folder. Name a file inside it.`, details);
  }
  return new FileError(
    'BAD_FILE',
    path,
    `${path} cannot be ${doing}: ${error.message.replaceAll(named, path)}.`,
    details,
  );
}
