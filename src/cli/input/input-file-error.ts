// A file named on the command line cannot be read: said in words, whoever found out.

import { PolyhistorError } from '../../errors.ts'

export class InputFileError extends PolyhistorError {
  /** `cause` is why, or the error that says why. */
  constructor(file: string, cause: unknown) {
    const why = typeof cause === 'string' ? cause : reasonOf(cause as NodeJS.ErrnoException)
    super('disk-not-found', `${file} cannot be read: ${why}.`, { cause })
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
}

/** Errors of our disk have the operating system's as their cause. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = (error.cause as NodeJS.ErrnoException | undefined) ?? error
  return reasons[code] ?? error.message.replace(/^Cannot \w+ .*: |\.$/g, '')
}
