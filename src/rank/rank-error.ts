// What may keep ranks from being computed.

import { PolyhistorError } from '../errors.ts'

/** What a part told cannot be so. */
export class BadPart extends PolyhistorError {
  readonly part: number

  constructor(part: number, reason: string, cause?: unknown) {
    super('rank-bad-part', `What another peer told about ranks cannot be so: ${reason}`, { cause })
    this.part = part
  }
}
