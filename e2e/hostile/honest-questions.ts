// Questions as an honest member asks them when people read from its pages and it finds links, about what the peers really have:
// samples (sim/hostile/sample-questions.ts) name captures that nobody has.

import { noHistory } from '../../src/network/link-delivery/wire/history.ts'
import { encodeLinks } from '../../src/network/link-delivery/wire/link-coding.ts'
import { packBatch } from '../../src/network/link-delivery/wire/packed-batch.ts'
import type { ViewSelection } from '../../src/network/remote-reads/view.ts'
import { captureList, openedPayload, readRequest } from '../../src/network/remote-reads/wire/questions.ts'
import type { CallServices, ServiceName } from '../../src/platform/calls/call-services.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import { simulatedCompressor } from '../../src/platform/simulated/compressor.ts'

const deadlineMs = 5_000
const capturesOpened = 5

/** About these URLs, which the peer has archived for this job. */
export async function askHonestly(
  services: CallServices,
  peer: PeerId,
  urls: readonly string[],
  jobId: string,
): Promise<void> {
  const ask = (service: ServiceName, question: Uint8Array) =>
    services.service(service).call(peer, question, { deadlineMs })
  const links = urls.map((href) => ({ href, kind: 'navigation' as const, jobId, depth: 1 }))
  const options = { history: noHistory, wantsArc: true }
  await ask('crawl', await packBatch(simulatedCompressor, encodeLinks(links), options))
  for (const url of urls) {
    for (const selection of selectionsOf(url)) {
      const question = { kind: 'list', selection, options: { limit: 20, reverse: false } } as const
      const { captures } = captureList.decode(await ask('reading', readRequest.encode(question)))
      for (const { cursor } of captures.slice(0, capturesOpened)) {
        const opened = openedPayload.decode(
          await ask('reading', readRequest.encode({ kind: 'open', cursor })),
        )
        await ask('reading', readRequest.encode({ kind: 'records', cursor, isWhole: true }))
        if (opened.session === undefined) continue
        const piece = { kind: 'piece', session: opened.session, number: 1 } as const
        await ask('reading', readRequest.encode(piece)).catch(() => {})
      }
    }
  }
}

function selectionsOf(url: string): ViewSelection[] {
  const { host, hostname, origin } = new URL(url)
  return [
    { kind: 'url', url },
    { kind: 'prefix', url: `${origin}/` },
    { kind: 'host', host },
    { kind: 'site', site: hostname },
  ]
}
