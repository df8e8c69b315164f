// An export through a running peer: the file as it is made over there, and then how it went.

import { printTimestampMs } from '../record/timestamp.ts'
import type { ExportResult, Selection } from '../store-library.ts'
import type { PeerClient } from './peer-client.ts'

export interface PeerExportWish {
  readonly format: 'warc' | 'wacz'
  readonly selection: Selection | undefined
  readonly fromMs?: number
  readonly toMs?: number
  readonly title: string | undefined
}

export async function exportFromPeer(
  peer: PeerClient,
  wish: PeerExportWish,
  signal: AbortSignal,
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<ExportResult> {
  const { fromMs, toMs } = wish
  const query = {
    format: wish.format,
    title: wish.title,
    ...asQuery(wish.selection),
    from: fromMs === undefined ? undefined : printTimestampMs(fromMs),
    to: toMs === undefined ? undefined : printTimestampMs(toMs - 1),
  }
  const response = await peer.open('/api/v1/export', query, { accept: '*/*', signal })
  await write(peer.body(response))
  return peer.get<ExportResult>(`/api/v1/exports/${response.headers.get('Polyhistor-Export')}`)
}

function asQuery(selection: Selection | undefined): Record<string, string> {
  switch (selection?.kind) {
    case 'url':
    case 'prefix':
      return { [selection.kind]: selection.url }
    case 'host':
      return { host: selection.host }
    case 'site':
      return { site: selection.site }
    default:
      return {}
  }
}
