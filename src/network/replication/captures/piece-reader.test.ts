import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import type { FlowingCopy } from '../../../store/copying/copying.ts'
import { PieceReader, pieceBytes } from './piece-reader.ts'

const bytes = Uint8Array.from({ length: 3 * pieceBytes + 5 }, (_, index) => index)
const key = new Uint8Array(40)

function readingOf(isStored: boolean): { pieces: PieceReader; begun: number[] } {
  const begun: number[] = []
  async function* from(offset: number): AsyncGenerator<Uint8Array> {
    begun.push(offset)
    for (let at = offset; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
  }
  const stored = { sizeBytes: bytes.length, checksum: 1, from }
  const copy: FlowingCopy = {
    [Symbol.asyncIterator]: () => from(0),
    ...(isStored && { stored }),
  }
  const held = { roster: { cursorOf: () => 'cursor' }, give: async () => copy }
  const { clock } = simulatedWorld({ seed: 1 }).machine('a')
  return { pieces: new PieceReader({ held: held as never, clock }), begun }
}

async function readFrom(pieces: PieceReader, reader: string, start: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (let offset = start; ; ) {
    const piece = await pieces.read(reader, { key, isWhole: false, offset })
    parts.push(piece.bytes)
    offset += piece.bytes.length
    if (piece.isLast) return Buffer.concat(parts)
  }
}

test.each([true, false])('pieces make up the whole, from any byte on, stored: %s', async (isStored) => {
  const { pieces, begun } = readingOf(isStored)
  for (const start of [0, pieceBytes, 1_500_000])
    assert.deepEqual(await readFrom(pieces, `reader ${start}`, start), Buffer.from(bytes.subarray(start)))
  assert.deepEqual(begun, isStored ? [0, pieceBytes, 1_500_000] : [0, 0, 0])
})
