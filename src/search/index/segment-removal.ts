// Removing the terms of segments that were merged into another, some at a time.

import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { removeTerms, segmentKey } from './term-blocks.ts'

const blocksAtOnce = 500

export async function removeBlocks(keyValue: KeyValue, blocks: Table, segment: number): Promise<void> {
  while (!(await keyValue.transaction(() => removeTerms(blocks, segment, blocksAtOnce))));
}

/** Of merges that a crash cut off: segments that are not among the known ones. Gives a number above all that there were. */
export async function removeLeftOver(
  keyValue: KeyValue,
  blocks: Table,
  known: ReadonlySet<number>,
): Promise<number> {
  for (let from = 0; ; ) {
    const [entry] = [...blocks.range({ from: segmentKey(from), limit: 1 })]
    if (entry === undefined) return from
    const number = Buffer.from(entry[0]).readUInt32BE()
    if (!known.has(number)) await removeBlocks(keyValue, blocks, number)
    from = number + 1
  }
}
