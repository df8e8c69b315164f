// What can go wrong in a comparison, beside messages that cannot be read.

import { PolyhistorError } from '../../../errors.ts'

/** The other splits and splits, and never comes to its entries. */
export class ComparisonEndless extends PolyhistorError {
  constructor() {
    super('comparison-endless', 'The other peer splits ranges without end: what it holds cannot be found out')
  }
}
