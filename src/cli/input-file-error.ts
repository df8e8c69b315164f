import { PolyhistorError } from '../errors.ts'

/** A file named on the command line cannot be read. */
export class InputFileError extends PolyhistorError {
  constructor(file: string, why: string, cause?: unknown) {
    super('disk-not-found', `${file} cannot be read: ${why}.`, { cause })
  }
}
