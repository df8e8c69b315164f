// `polyhistor store stat`: what the store holds, in numbers.

import type { StoreStat } from '../../../app/store/store-library.ts'
import type { Context } from '../../context.ts'
import { short } from '../../output/progress.ts'
import { formatTable } from '../../output/table.ts'
import { type PeerClient, PeerError } from '../../peer/peer-client.ts'
import { withArchiveToRead } from '../../peer/running-peer.ts'

export async function showStat(context: Context): Promise<undefined> {
  const { terminal, isJson } = context
  const stat = await withArchiveToRead(context, { store: (store) => store.stat(), peer: statOf })
  if (isJson) return void (await terminal.printJson(stat))
  await terminal.printLine(formatTable(['what', 'count'], summary(stat), terminal.width))
  const volumes = stat.volumes.map(({ path, state, bytes, deadBytes }) => [
    path,
    state,
    short(bytes),
    `${percent(deadBytes, bytes)} dead`,
  ])
  if (volumes.length > 0) {
    await terminal.printLine(
      `\n${formatTable(['volume', 'state', 'size', 'weight'], volumes, terminal.width)}`,
    )
  }
  return undefined
}

/** Where volumes lie is told to the owner only; others see the numbers. */
async function statOf(peer: PeerClient): Promise<StoreStat> {
  const { captures, hiddenCaptures, distinctPayloads, bytes, removed, quarantinedTakedowns } =
    await peer.get<StoreStat>('/api/v1/stats')
  const { volumes } = await peer
    .get<Pick<StoreStat, 'volumes'>>('/api/v1/volumes')
    .catch((error: unknown) => {
      if (error instanceof PeerError && error.code.startsWith('token-')) return { volumes: [] }
      throw error
    })
  return { captures, hiddenCaptures, distinctPayloads, bytes, volumes, removed, quarantinedTakedowns }
}

function summary({
  captures,
  hiddenCaptures,
  distinctPayloads,
  bytes,
  removed,
  quarantinedTakedowns,
}: StoreStat): string[][] {
  return [
    ['captures', String(captures)],
    ...(hiddenCaptures > 0 ? [['captures taken down, not yet destroyed', String(hiddenCaptures)]] : []),
    ['distinct payloads', String(distinctPayloads)],
    ['bytes as fetched', short(bytes.original)],
    [
      'bytes after deduplication',
      `${short(bytes.afterDedup)} (${percent(bytes.afterDedup, bytes.original)})`,
    ],
    ['bytes on disk', `${short(bytes.onDisk)} (${percent(bytes.onDisk, bytes.original)})`],
    ...(removed.missing > 0 ? [['captures missing that nobody removed', String(removed.missing)]] : []),
    ...(quarantinedTakedowns > 0
      ? [['takedowns that cannot be read', `${quarantinedTakedowns} (takedowns.quarantine.jsonl)`]]
      : []),
  ]
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0%' : `${((100 * part) / whole).toFixed(1)}%`
}
