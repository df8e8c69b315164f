// What a peer answers: the routes of all its parts.

import type { Origins } from './api/hosts.ts'
import { aboutRoutes } from './api/v1/about.ts'
import type { JobEvents } from './api/v1/job-events.ts'
import { jobRoutes } from './api/v1/job-routes.ts'
import type { Crawler } from './crawler.ts'
import type { PeerJobs } from './peer-jobs.ts'
import type { ServedParts } from './peer-server.ts'
import type { Store } from './store/store.ts'
import { version } from './version.ts'
import type { Log } from './world/log.ts'

export interface PeerParts {
  readonly store: Store
  readonly crawler: Crawler
  readonly jobs: PeerJobs
  readonly events: JobEvents
  readonly log: Log
  readonly origins: Origins
  readonly instance: string
}

export async function peerParts(parts: PeerParts): Promise<ServedParts> {
  const { jobs, events, instance } = parts
  return {
    routes: [...aboutRoutes({ version, instance }), ...jobRoutes({ jobs, events })],
  }
}
