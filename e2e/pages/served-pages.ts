// The archive's pages on a real server, over a real store filled to order, for a browser to look at.
//
// Crawls are made up (a test moves them on by hand), so is the network, and the replay host answers with the stored payload and a script that
// tells the frame about itself as src/replay does: what replay makes of pages is tested elsewhere.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Access } from '../../src/api/access.ts'
import { Api } from '../../src/api/api.ts'
import { feedRoutes } from '../../src/api/feed-routes.ts'
import { Hosts } from '../../src/api/hosts.ts'
import { ExtensionKeys } from '../../src/api/owner/extension-keys.ts'
import { OwnerCookie } from '../../src/api/owner/owner-cookie.ts'
import { OwnerDoor } from '../../src/api/owner/owner-door.ts'
import { OwnerLinks } from '../../src/api/owner/owner-links.ts'
import type { Route } from '../../src/api/route.ts'
import { watchRoutes } from '../../src/api/v1/changes/watch-routes.ts'
import { webhookRoutes } from '../../src/api/v1/changes/webhook-routes.ts'
import { JobEvents } from '../../src/api/v1/jobs/job-events.ts'
import { jobRoutes } from '../../src/api/v1/jobs/job-routes.ts'
import { catchUpOf, ownLinksOf } from '../../src/app/graph/peer-links.ts'
import { withOpenApi } from '../../src/app/http/routes.ts'
import { openArchivePages } from '../../src/app/pages/archive-pages.ts'
import { PeerSettings } from '../../src/app/peer-settings.ts'
import { realPlatform } from '../../src/app/real-platform.ts'
import { ringRoutes } from '../../src/app/ring/ring-routes.ts'
import { openSolitaryRing } from '../../src/app/ring/solitary-ring.ts'
import { openPeerSearch } from '../../src/app/search/peer-search.ts'
import { tablesOf } from '../../src/app/tables/peer-tables.ts'
import { configurationFrom } from '../../src/config/configuration.ts'
import { ScheduledJobs } from '../../src/crawl/jobs/scheduled-jobs.ts'
import { LinkGraph } from '../../src/graph/link-graph.ts'
import { timestampSpan } from '../../src/model/timestamp.ts'
import { parseUrl, type Url } from '../../src/model/url/url.ts'
import { storeArchive } from '../../src/network/remote-reads/archive/readable-archive.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { HttpAnswer } from '../../src/platform/network/http-server.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { startHttpServer } from '../../src/platform/real/http-server/http-server.ts'
import { localWorld } from '../../src/platform/real/local-world.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import type { Capture } from '../../src/store/capture.ts'
import { bytesOf, sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store } from '../../src/store/store.ts'
import { type FilledConsole, openFilledConsole } from './filled-console.ts'
import { MadeUpJobs } from './made-up-jobs.ts'
import { madeUpNetwork } from './made-up-network.ts'
import { madeUpRanks } from './made-up-ranks.ts'
import { MadeUpRules } from './made-up-rules.ts'
import { madeUpWatches } from './made-up-watches.ts'

export interface ServedPages {
  readonly store: Store
  readonly jobs: MadeUpJobs
  /** `http://localhost:12345` */
  readonly origin: string
  readonly replayOrigin: string
  readonly console: FilledConsole
  newOwnerLink(): string
  /** When somebody follows the next crawl, or follows one already: what happens before is not told. */
  followed(): Promise<void>
  close(): Promise<void>
}

const token = 'a-token-for-tests'

export async function servePages(
  fill: (store: Store) => Promise<void> = async () => {},
): Promise<ServedPages> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-pages-'))
  const store = await Store.open(localWorld(), folder, { ...sampleOptions, takedownUndoMs: 3_600_000 })
  await fill(store)
  const ring = await openSolitaryRing(realPlatform(), folder)
  const jobs = new MadeUpJobs()
  const events = new JobEvents({ jobs, clock: new RealClock() })
  jobs.watch = (line) => events.happened(line)
  const followers = Promise.withResolvers<void>()
  let api: Api | undefined
  const server = await startHttpServer({ host: 'localhost', port: 0 }, (request) => api!.answer(request))
  const origins = {
    archive: `http://localhost:${server.port}`,
    replay: `http://replay.localhost:${server.port}`,
  }
  const hosts = new Hosts(origins, server.port)
  const cookie = new OwnerCookie({ nowMs: () => Date.now() }, 'a-secret-for-tests')
  const owner = new OwnerDoor({
    cookie,
    keys: new ExtensionKeys({ nowMs: () => Date.now() }, 'a-secret-for-tests'),
    checkToken: () => assert.fail('no token is used here'),
    links: new OwnerLinks({ random: new RealRandom(), monotonicMs: () => performance.now() }),
    archiveOrigin: origins.archive,
    newSecret: async () => 'another-secret',
  })
  const platform = realPlatform()
  const graph = new LinkGraph(await platform.keyValues.open(join(folder, 'graph')))
  const catchUp = catchUpOf({ platform, store, graph })
  await catchUp.pass().finally(() => catchUp.close())
  const links = ownLinksOf({ platform, store, graph })
  const { ranks, close: closeRanks } = await madeUpRanks(platform, graph, folder)
  const filled = await openFilledConsole({ platform, store, jobs, status: () => madeUpNetwork() }, folder)
  const { changes } = filled
  const tables = tablesOf(
    { platform, store, archive: storeArchive(store), graph, changes, jobs: { log: async function* () {} } },
    join(folder, 'tables'),
  )
  const watching = await madeUpWatches(folder, store, jobs)
  const search = openPeerSearch({ platform, store, graph }, join(folder, 'search'))
  await search.catchUp()
  const pages = await openArchivePages({
    watching,
    links,
    search: search.service,
    ranks,
    tables,
    platform: realPlatform(),
    archive: { ...storeArchive(store), isTakenDown: ({ host }) => host === 'gone.example' },
    store,
    totals: () => store.stat(),
    networkStatus: async () => madeUpNetwork(),
    jobs,
    schedules: new ScheduledJobs({
      ...{ clock: new RealClock(), log: silentLog, jobs, isOurs: () => false },
      book: { all: () => [], get: () => undefined, put: async () => {}, remove: async () => {} },
    }),
    rules: new MadeUpRules(),
    console: filled.console,
    owner,
    settings: new PeerSettings(() => configurationFrom({}), folder),
    server: {
      archiveOrigin: origins.archive,
      replayOrigin: origins.replay,
      mementoHeaders: () => [['Memento-Datetime', 'told elsewhere']],
      resource: async () => ({ status: 200, headers: [], body: 'the resource alone' }),
    },
    resolve: async (url, digits) => {
      const span = timestampSpan(digits)
      const [within] = store.versions(url, { ...span, limit: 1 })
      return within ?? store.nearest(url, span.toMs - 1)
    },
  })
  const own: Route[] = [
    ...pages.routes,
    ...jobRoutes({ jobs, events }).map((route) => told(route, followers.resolve)),
    ...ringRoutes(ring),
    ...watchRoutes({ ...watching, origin: origins.archive }),
    ...webhookRoutes(watching),
    ...feedRoutes({ ...watching, origin: origins.archive }),
    ...filled.routes,
    replayRoute(store),
  ]
  const routes = withOpenApi(own, (operations) => pages.interfacesRoute(operations))
  api = new Api(
    { hosts, access: new Access({ cookie }, token), log: silentLog, failurePage: pages.failurePage },
    routes,
    { isReadableByAll: true },
  )
  return {
    store,
    jobs,
    console: filled,
    origin: origins.archive,
    newOwnerLink: () => owner.newLink(),
    replayOrigin: origins.replay,
    followed: () => followers.promise,
    close: async () => {
      events.close()
      await server.close(0)
      await filled.close()
      await pages.close()
      await ring.close()
      await tables.close()
      await watching.close()
      await search.close()
      await closeRanks()
      await graph.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Says when a stream of events has been asked for. */
function told(route: Route, followed: () => void): Route {
  if (!String(route.path).endsWith('/events')) return route
  return {
    ...route,
    handle: async (request) => {
      const answer = await route.handle(request)
      followed()
      return answer
    },
  }
}

function replayRoute(store: Store): Route {
  return {
    methods: ['GET'],
    host: 'replay',
    path: '/web/{rest*}',
    handle: async ({ rest }) => {
      const [, digits, href] = /^(\d+)mp_\/(.*)$/s.exec(rest)!
      const url: Url = parseUrl(href!)
      const capture = store.nearest(url, timestampSpan(digits!).toMs - 1)
      if (capture === undefined) return missingAnswer(href!, digits!)
      const { payload } = await store.read(capture)
      return {
        status: 200,
        headers: [
          ['Content-Type', 'text/html; charset=utf-8'],
          ['Content-Security-Policy', "sandbox allow-scripts; default-src 'unsafe-inline'"],
        ],
        body: Buffer.concat([await bytesOf(payload()), Buffer.from(telling(capture, digits!))]),
      }
    },
  }
}

function missingAnswer(url: string, timestamp: string): HttpAnswer {
  const message = JSON.stringify({ polyhistor: 'page', isMissing: true, url, timestamp })
  const body = `not archived<script>parent.postMessage(${message}, '*')</script>`
  return { status: 404, headers: [['Content-Type', 'text/html; charset=utf-8']], body }
}

function telling({ url }: Capture, digits: string): string {
  const message = JSON.stringify({ polyhistor: 'page', url, timestamp: digits })
  return `<script>
const tell = (more) => parent.postMessage({ ...${message}, title: document.title, ...more }, '*')
addEventListener('load', () => tell({ height: document.documentElement.scrollHeight, ...window.more }))
</script>`
}
