// An export through a running peer: the file as it is made over there, and then how it went.

import type { ExportResult, Selection } from '../../app/store/store-library.ts'
import { anyTime } from '../../model/capture-choice.ts'
import { digitsOfSpan, printTimestampMs, type TimeSpan } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { PeerClient } from './peer-client.ts'

interface PeerExportRequest {
  readonly format: 'warc' | 'wacz'
  readonly selection: Selection | undefined
  readonly fromMs?: number
  readonly toMs?: number
  /** One version of a page, with all it needs. */
  readonly page?: WantedPage | undefined
  readonly title: string | undefined
}

export interface WantedPage {
  readonly url: Url
  readonly span: TimeSpan
}

export async function exportFromPeer(
  peer: PeerClient,
  request: PeerExportRequest,
  signal: AbortSignal,
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<ExportResult> {
  const { fromMs, toMs } = request
  const query = {
    format: request.format,
    title: request.title,
    ...asQuery(request.selection),
    page: request.page?.url.href,
    at: request.page && request.page.span !== anyTime ? digitsOfSpan(request.page.span) : undefined,
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
