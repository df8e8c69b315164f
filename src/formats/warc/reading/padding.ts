// What lies between records: the line ends that close one, and whatever some tools leave besides.

import type { ByteSource } from './byte-source.ts'
import { recordEndLength } from './record-decoding.ts'

/** Zero bytes and line ends between records, as some tools leave them. False: nothing follows. `whenZeros` is told of zero bytes, once or
 * several times. */
export async function skipPadding(
  source: ByteSource,
  whenZeros: (count: number) => void = () => {},
): Promise<boolean> {
  while (await source.fill(1)) {
    const { window } = source
    let length = 0
    let zeros = 0
    for (; length < window.length && isPadding(window[length]!); length++) if (window[length] === 0) zeros++
    source.consume(length)
    if (zeros > 0) whenZeros(zeros)
    if (length < window.length) return true
  }
  return false
}

function isPadding(byte: number): boolean {
  return byte === 0x00 || byte === 0x0a || byte === 0x0d
}

/** Length of the line ends that close a record, which are used up. */
export async function takeRecordEnd(source: ByteSource): Promise<number> {
  await source.fill(4)
  const length = recordEndLength(source.window, 0)
  source.consume(length)
  return length
}
