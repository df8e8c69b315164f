// What a link costs in bytes when it is packed with others, by itself and in the way that everybody would do first. No
// network: for the sizes of batches that a crawl's pace makes.

import { gzipSync } from 'node:zlib'
import { noHistory } from '../../src/network/link-delivery/wire/history.ts'
import { encodeLinks } from '../../src/network/link-delivery/wire/link-coding.ts'
import { contentIdOf, packBatch } from '../../src/network/link-delivery/wire/packed-batch.ts'
import { simulatedCompressor } from '../../src/platform/simulated/compressor.ts'
import type { MixedLink } from './link-mixes.ts'

export interface BytesPerLink {
  jsonGzip: number
  /** The first batch to a peer. */
  cold: number
  /** Those that follow. */
  warm: number
}

/** `owned`: the links by owner, in the order in which they were found. */
export async function bytesPerLink(
  owned: readonly (readonly MixedLink[])[],
  linksPerBatch: number,
): Promise<BytesPerLink> {
  const sums = { jsonGzip: 0, cold: 0, warm: 0 }
  let count = 0
  for (const links of owned) {
    let history = noHistory
    for (
      let at = 0;
      at + linksPerBatch <= links.length && at < batchesMax * linksPerBatch;
      at += linksPerBatch
    ) {
      const batch = links.slice(at, at + linksPerBatch).sort((one, other) => (one.href < other.href ? -1 : 1))
      const sections = encodeLinks(batch)
      const options = { history, wantsArc: false }
      sums.jsonGzip += jsonGzipBytes(batch)
      sums.warm += (await packBatch(simulatedCompressor, sections, options)).length
      sums.cold += (await packBatch(simulatedCompressor, sections, { ...options, history: noHistory })).length
      history = history.after(sections, contentIdOf(sections))
      count += batch.length
    }
  }
  return { jsonGzip: sums.jsonGzip / count, cold: sums.cold / count, warm: sums.warm / count }
}

/** Enough for the history to fill up; more takes long. */
const batchesMax = 100

export function jsonGzipBytes(links: readonly MixedLink[]): number {
  return gzipSync(links.map((link) => JSON.stringify(link)).join('\n')).length
}
