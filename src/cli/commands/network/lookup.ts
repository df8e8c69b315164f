// `polyhistor lookup`: who owns a key or a URL, and who keeps copies.

import type { LookupResult } from '../../../app/ring/ring-peer.ts'
import { PolyhistorError } from '../../../errors.ts'
import { parseRingKey, type RingKey, ringKeyOfSite } from '../../../model/ring-key.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import type { Context } from '../../context.ts'
import { formatTable } from '../../output/table.ts'
import { askPeer } from '../../peer/ring-question.ts'

export async function lookUp(context: Context, [word]: string[]): Promise<undefined> {
  const { terminal, isJson } = context
  const key = keyOf(word!)
  const result = await askPeer<LookupResult>(context, `/api/v1/lookup?key=${key}`)
  if (isJson) {
    await terminal.printJson(result)
    return undefined
  }
  const { replicas, hops } = result
  await terminal.printLine(`Key ${key}, found in ${hops} ${hops === 1 ? 'hop' : 'hops'}`)
  const rows = replicas.map(({ peer, position, address }, index) => [
    index === 0 ? 'owner' : 'copy',
    peer,
    position,
    address,
  ])
  await terminal.printLine(formatTable(['', 'peer', 'position', 'address'], rows, terminal.width))
  return undefined
}

/** 40 hex digits could be a host name, but nobody has that one. */
function keyOf(word: string): RingKey {
  const lower = word.toLowerCase()
  if (/^[0-9a-f]{40}$/.test(lower)) return parseRingKey(lower)
  try {
    return ringKeyOfSite(urlFromTyped(word).site)
  } catch (error) {
    if (!(error instanceof PolyhistorError) || !/^[0-9a-f]{20,}$/i.test(word)) throw error
    // Most likely a key that was not copied whole.
    return parseRingKey(word)
  }
}
