// What a peer answers: the routes of all its parts.

import { availabilityRoutes } from '../../api/availability.ts'
import { CdxServer } from '../../api/cdx/cdx-server.ts'
import type { MementoLinks } from '../../api/memento/memento-links.ts'
import type { TimeGate } from '../../api/memento/time-gate.ts'
import { TimeMaps } from '../../api/memento/time-map.ts'
import type { Route } from '../../api/route.ts'
import { aboutRoutes } from '../../api/v1/about.ts'
import type { ArchiveDesk, ImportDesk, StoreDesk } from '../../api/v1/archive-desk.ts'
import { captureRoutes } from '../../api/v1/capture-routes.ts'
import { deskRoutes } from '../../api/v1/desk-routes.ts'
import { Exports } from '../../api/v1/export-routes.ts'
import { importRoutes } from '../../api/v1/import-routes.ts'
import type { JobEvents } from '../../api/v1/job-events.ts'
import { jobRoutes } from '../../api/v1/job-routes.ts'
import { type DescribedOperation, describedOperations, openApiRoutes } from '../../api/v1/open-api.ts'
import { storeRoutes } from '../../api/v1/store-routes.ts'
import { type VisitDesk, visitRoutes } from '../../api/v1/visit-routes.ts'
import type { CaptureIndex } from '../../model/archive.ts'
import type { JobDesk } from '../../model/job-desk.ts'
import type { Clock } from '../../platform/clock.ts'
import { version } from '../../version.ts'

export interface InterfaceParts {
  readonly archive: CaptureIndex
  readonly clock: Clock
  readonly desk: ArchiveDesk
  readonly imports: ImportDesk
  readonly storeDesk: StoreDesk
  readonly jobs: JobDesk
  readonly events: JobEvents
  readonly visits: VisitDesk
  readonly links: MementoLinks
  readonly timeGate: TimeGate
  readonly instance: string
}

/** The interfaces that tools expect. */
export function interfaceRoutes(parts: InterfaceParts): Route[] {
  const { archive, clock, desk, imports, storeDesk, jobs, events, visits, links, timeGate, instance } = parts
  const exports = new Exports({ desk, clock })
  return [
    ...timeGate.routes(),
    ...new TimeMaps({ archive, clock, links }).routes(),
    ...new CdxServer({ archive, clock, links }).routes(),
    ...availabilityRoutes({ archive, links }),
    ...aboutRoutes({ version, instance }),
    ...jobRoutes({ jobs, events }),
    ...visitRoutes({ desk: visits }),
    ...captureRoutes({ archive, clock, desk }),
    ...deskRoutes({ desk, whenTakenDown: () => exports.forgetTakenDown() }),
    ...exports.routes(),
    ...importRoutes({ imports }),
    ...storeRoutes({ desk: storeDesk }),
  ]
}

/** With the document that describes those of /api/v1, whichever part they come from, and the page that does so in words. */
export function withOpenApi(
  routes: readonly Route[],
  pageOf?: (operations: readonly DescribedOperation[]) => Route,
): Route[] {
  const described = [...routes, ...openApiRoutes(routes, version)]
  return pageOf === undefined ? described : [...described, pageOf(describedOperations(described))]
}
