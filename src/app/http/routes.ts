// What a peer answers: the routes of all its parts.

import { availabilityRoutes } from '../../api/availability.ts'
import { CdxServer } from '../../api/cdx/cdx-server.ts'
import type { MementoLinks } from '../../api/memento/memento-links.ts'
import type { TimeGate } from '../../api/memento/time-gate.ts'
import { TimeMaps } from '../../api/memento/time-map.ts'
import type { Route } from '../../api/route.ts'
import { aboutRoutes } from '../../api/v1/about.ts'
import type { ArchiveService, ImportService, StoreService } from '../../api/v1/archive/archive-service.ts'
import { archiveServiceRoutes } from '../../api/v1/archive/archive-service-routes.ts'
import { captureRoutes } from '../../api/v1/archive/capture-routes.ts'
import { Exports } from '../../api/v1/archive/export-routes.ts'
import { importRoutes } from '../../api/v1/archive/import-routes.ts'
import { storeRoutes } from '../../api/v1/archive/store-routes.ts'
import { type ChangeService, changeRoutes } from '../../api/v1/changes/change-routes.ts'
import type { JobEvents } from '../../api/v1/jobs/job-events.ts'
import { jobExportRoutes } from '../../api/v1/jobs/job-export.ts'
import { jobRoutes } from '../../api/v1/jobs/job-routes.ts'
import { ruleRoutes } from '../../api/v1/jobs/rule-routes.ts'
import { scheduleRoutes } from '../../api/v1/jobs/schedule-routes.ts'
import { type VisitService, visitRoutes } from '../../api/v1/jobs/visit-routes.ts'
import { type DescribedOperation, describedOperations, openApiRoutes } from '../../api/v1/open-api.ts'
import type { RuleService } from '../../crawl/rules/rule-service.ts'
import type { CaptureIndex } from '../../model/archive.ts'
import type { ScheduleService } from '../../model/jobs/job-schedule.ts'
import type { JobDetails, JobService } from '../../model/jobs/job-service.ts'
import type { Clock } from '../../platform/clock.ts'
import { version } from '../../version.ts'

interface InterfaceParts {
  readonly archive: CaptureIndex
  readonly clock: Clock
  readonly service: ArchiveService
  readonly imports: ImportService
  readonly storeService: StoreService
  readonly jobs: JobService
  readonly events: JobEvents
  readonly jobDetails?: ((id: string) => Promise<JobDetails>) | undefined
  readonly visits: VisitService
  readonly changes: ChangeService
  readonly rules: RuleService
  readonly schedules: ScheduleService
  readonly links: MementoLinks
  readonly timeGate: TimeGate
  readonly instance: string
}

/** The interfaces that tools expect. */
export function interfaceRoutes(parts: InterfaceParts): Route[] {
  const { service, timeGate, instance } = parts
  const exports = new Exports(parts)
  return [
    ...timeGate.routes(),
    ...new TimeMaps(parts).routes(),
    ...new CdxServer(parts).routes(),
    ...availabilityRoutes(parts),
    ...aboutRoutes({ version, instance }),
    ...jobRoutes(parts),
    ...jobExportRoutes(parts),
    ...visitRoutes({ service: parts.visits }),
    ...changeRoutes({ service: parts.changes }),
    ...ruleRoutes({ service: parts.rules }),
    ...scheduleRoutes(parts),
    ...captureRoutes(parts),
    ...archiveServiceRoutes({ service, whenTakenDown: () => exports.forgetTakenDown() }),
    ...exports.routes(),
    ...importRoutes(parts),
    ...storeRoutes({ service: parts.storeService }),
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
