// What runs in the threads of a peer that takes copies from others: checks them.

import type { CheckedCopies } from '../../store/copying/copy-check.ts'

export { checkCopies as work } from '../../store/copying/copy-check.ts'

/** The buffers that the main thread gets back without a copy. */
export function given({ bytes }: CheckedCopies): ArrayBuffer[] {
  return [bytes.buffer as ArrayBuffer]
}
