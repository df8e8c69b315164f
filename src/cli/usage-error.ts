import { PolyhistorError } from '../errors.ts'

/** The command line asks for something that is not there or does not fit together. */
export class UsageError extends PolyhistorError {
  constructor(message: string) {
    super('usage', message)
  }
}
