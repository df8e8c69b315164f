// A console to look at: a real frontier with made-up sites, real rules, a real log of actions and a real stream of changes; only the
// other peers are made up, and tell of the same sites.

import { join } from 'node:path'
import type { Route } from '../../src/api/route.ts'
import { adminRoutes } from '../../src/api/v1/admin-routes.ts'
import { type ChangeService, changeRoutes } from '../../src/api/v1/changes/change-routes.ts'
import { openChanges } from '../../src/app/changes/open-changes.ts'
import { HomeRules } from '../../src/app/crawl/home-rules.ts'
import type { Platform } from '../../src/app/platform.ts'
import { ActionLog } from '../../src/console/action-log.ts'
import { Actions } from '../../src/console/actions.ts'
import type { Console } from '../../src/console/console.ts'
import { OwnSurvey } from '../../src/console/own-survey.ts'
import { noControl } from '../../src/console/peer-control.ts'
import { visitPage } from '../../src/crawl/fixtures/visited-page.ts'
import { Frontier } from '../../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../../src/crawl/politeness/politeness-rules.ts'
import type { JobService } from '../../src/model/jobs/job-service.ts'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { parseUrl, type Url } from '../../src/model/url/url.ts'
import type { Store } from '../../src/store/store.ts'
import { MadeUpRoles } from './made-up-roles.ts'

interface Needs {
  readonly platform: Platform
  readonly store: Store
  readonly jobs: JobService
  readonly status: () => NetworkStatus
}

export interface FilledConsole {
  readonly console: Console
  readonly routes: readonly Route[]
  readonly roles: MadeUpRoles
  /** What `visit` brought. */
  readonly changes: ChangeService
  /** Sites of this many pages each, with some URLs queued. */
  fill(sites: readonly string[], pages: number): Promise<void>
  /** A page was visited and looks like this: the stream tells when that is new. */
  visit(url: string, body: string, status?: number): Promise<void>
  close(): Promise<void>
}

const members = 3

export async function openFilledConsole(needs: Needs, folder: string): Promise<FilledConsole> {
  const { platform, store, jobs } = needs
  const { clock, random, keyValues } = platform
  const keyValue = await keyValues.open(join(folder, 'frontier'))
  const frontier = new Frontier({ keyValue, clock, random }, { politeness: politenessOff })
  const rules = new HomeRules({ frontier })
  const changes = openChanges({ clock, random, frontier, isHidden: () => false })
  const log = new ActionLog(await keyValues.open(join(folder, 'console')))
  const own = new OwnSurvey({
    frontier: frontier.survey,
    captures: (site, limit) => store.scan({ kind: 'site', site }, { limit }),
    leaseFacts: () => ({
      epoch: 4,
      members: needs
        .status()
        .peers.slice(0, members)
        .map(({ peer }) => peer),
      copies: members,
    }),
  })
  const takedowns = {
    takedown: async (target: Parameters<Store['takedown']>[0], reason: string) => ({
      captures: await store.takedown(target, reason),
    }),
    release: async (target: Parameters<Store['takedown']>[0]) => ({ captures: await store.release(target) }),
  }
  const placed = new Map<string, string>()
  const placements = {
    get: (site: string) => {
      const peer = placed.get(site)
      return peer === undefined ? undefined : { peer }
    },
    set: async (site: string, peer: string | undefined) => {
      if (peer === undefined) placed.delete(site)
      else placed.set(site, peer)
    },
  }
  const roles = new MadeUpRoles(needs.status().peers.map(({ peer }) => peer))
  const console: Console = {
    self: needs.status().peers[0]!.peer,
    actions: new Actions({
      ...{ clock, log, rules, jobs, takedowns },
      upkeep: { start: () => {} },
      peer: noControl,
      placements,
      roles: () => roles,
    }),
    rules,
    placedAt: (site) => placements.get(site)?.peer,
    status: async () => ({ ...needs.status(), roles: roles.status }),
    survey: () => own,
    storage: async () => ({
      ...(await store.stat()),
      soundness: needs.status().sums.soundness,
      isScrubbing: false,
      upkeep: undefined,
    }),
  }
  return {
    console,
    roles,
    routes: [...adminRoutes({ console }), ...changeRoutes({ service: changes })],
    fill: (sites, pages) => fill(frontier, sites, pages),
    visit: (href, body, status) => visitPage(frontier, href, body, { status }),
    changes,
    close: async () => {
      changes.stop()
      await changes.close()
      await frontier.flush()
      await keyValue.close()
      await log.close()
    },
  }
}

/** Queued for a crawl that is paused, so that nothing of it is given out. */
async function fill(frontier: Frontier, sites: readonly string[], pages: number): Promise<void> {
  const { id } = frontier.jobs.open({ seeds: ['https://seeds.example/'], scope: 'any', budgets: {} })
  frontier.jobs.pause(id)
  for (const site of sites) {
    const home = `https://www.${site}/`
    const urls: Url[] = Array.from({ length: pages }, (_, page) => parseUrl(`${home}story/${page}`))
    await frontier.add(urls.map((url) => ({ url, kind: 'navigation', jobId: id, depth: 1, via: home })))
    for (const [index, url] of urls.entries())
      frontier.visits.visited(url, { atMs: frontier.nowMs(), outcome: index % 9 === 4 ? 'failed' : 'new' })
  }
  await frontier.flush()
}
