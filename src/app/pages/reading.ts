// Reading in the browser: the archive's pages and replayed ones, on their two hosts.

import { archivedUrl } from '../../api/archived-url.ts'
import type { Origins } from '../../api/hosts.ts'
import type { TimeGate } from '../../api/memento/time-gate.ts'
import type { Route } from '../../api/route.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import type { Replay } from '../../replay/replay.ts'
import { printReplayAddress } from '../../replay/replay-address.ts'
import type { ArchivePages, ArchivePagesNeeds } from './archive-pages.ts'
import { openArchivePages } from './archive-pages.ts'
import { openReplay } from './store-replay.ts'

export interface ReadingParts {
  readonly pages: ArchivePages
  readonly routes: readonly Route[]
}

export async function openReading(
  needs: Omit<ArchivePagesNeeds, 'server' | 'resolve'> & { timeGate: TimeGate; origins: Origins },
): Promise<ReadingParts> {
  const { platform, archive, timeGate, origins } = needs
  const replay = openReplay({ archive, ownFiles: await platform.programFiles.replayFiles() }, { origins })
  const pages = await openArchivePages({
    ...needs,
    server: {
      archiveOrigin: origins.archive,
      replayOrigin: origins.replay,
      // Versions are the archive's own captures, handed through.
      mementoHeaders: (url, version) => timeGate.headers(url, version as ArchivedCapture),
      resource: async ({ method, header }, { capturedAtMs, url }) =>
        replay.answer({
          method,
          header,
          host: 'archive',
          target: printReplayAddress(printTimestamp(capturedAtMs), 'id_', url),
        }),
    },
    resolve: async (url, digits) => (await replay.resolve(url, digits)) as ArchivedCapture | undefined,
  })
  return { pages, routes: [...pages.routes, ...replayRoutes(replay, timeGate)] }
}

/** A time, a modifier or both stand before the URL; what has neither is a TimeGate's. */
const timedPath = /^\/web\/(?:[0-9]+(?:[a-z]+_)?|[0-9]*[a-z]+_|[0-9-]*\*)\//

function replayRoutes(replay: Replay, timeGate: TimeGate): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: timedPath,
      handle: (request) => replay.answer(request),
    },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/web/{rest*}',
      // People come here, too: who asks for what is not archived is to be offered to archive it.
      isPage: true,
      handle: (request) => timeGate.answer(archivedUrl(request.rest), request),
    },
    {
      methods: ['GET', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
      host: 'replay',
      path: '/{rest*}',
      handle: (request) => replay.answer(request),
    },
  ]
}
