// The console of a running peer, joined with its parts.

import { join } from 'node:path'
import { ActionError } from '../../console/action-error.ts'
import { ActionLog } from '../../console/action-log.ts'
import { Actions } from '../../console/actions.ts'
import type { Console } from '../../console/console.ts'
import { jobDetailsOfAll } from '../../console/job-survey.ts'
import { NetworkSurvey } from '../../console/network-survey.ts'
import { OwnSurvey } from '../../console/own-survey.ts'
import type { PeerControl } from '../../console/peer-control.ts'
import type { RoleChanges } from '../../console/role-actions.ts'
import { StoreUpkeep } from '../../console/store-upkeep.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import type { RuleService } from '../../crawl/rules/rule-service.ts'
import type { JobDetails, JobService } from '../../model/jobs/job-service.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import { isRole, roles as roleNames } from '../../network/membership/role.ts'
import type { NetworkRoles } from '../../network/roles/network-roles.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import type { PeerArchive } from '../http/archive.ts'
import type { ArchiveNetwork } from '../network/archive-network.ts'
import type { Platform } from '../platform.ts'
import { soundnessOf } from '../status/soundness.ts'

interface Needs {
  readonly platform: Platform
  readonly log: Log
  readonly store: Store
  readonly frontier: Frontier
  readonly rules: RuleService
  readonly jobs: JobService
  /** Of this peer alone. */
  readonly ownJobs: Pick<JobService, 'details' | 'find'>
  readonly service: PeerArchive
  readonly network: ArchiveNetwork | undefined
  readonly control: PeerControl
  status(): Promise<NetworkStatus>
}

export interface OpenConsole {
  readonly console: Console
  /** Jobs with the details that all peers tell. */
  jobDetails(id: string): Promise<JobDetails>
  /** Before the store and the crawler are closed. */
  close(): Promise<void>
}

function roleChanges(roles: NetworkRoles): RoleChanges {
  return {
    roleOf: (peer) => roles.named(peer),
    grant: async (peer, role, sites, reason) => {
      if (!isRole(role))
        throw new ActionError('action-malformed', `A role is one of ${roleNames.join(', ')}.`)
      return (await roles.grant(peer, role, { sites, reason })).standing
    },
    revoke: async (peer, reason) => (await roles.revoke(peer, { reason })).standing,
    approve: async (statement) => (await roles.approve(statement)).standing,
  }
}

export async function openConsole(needs: Needs, home: string): Promise<OpenConsole> {
  const { platform, log, store, frontier, network, rules, jobs, service, control } = needs
  const { clock } = platform
  const actionLog = new ActionLog(
    await platform.keyValues.open(join(home, 'console'), { hasJournal: true, tables: ['actions'] }),
  )
  const upkeep = new StoreUpkeep({ store, clock, log })
  const own = new OwnSurvey({
    frontier: frontier.survey,
    captures: (site, limit) => store.scan({ kind: 'site', site }, { limit }),
    leaseFacts: (key) => network?.leaseFacts(key),
    jobs: needs.ownJobs,
  })
  const asked = network && new NetworkSurvey({ self: network.self, own, calls: network.surveyCalls })
  return {
    console: {
      self: network?.self ?? '',
      actions: new Actions({
        ...{ clock, log: actionLog, rules, jobs, upkeep },
        takedowns: service,
        peer: control,
        placements: network?.placements,
        roles: () => network?.shared?.roles && roleChanges(network.shared.roles),
      }),
      rules,
      placedAt: (site) => network?.placements.get(site)?.peer,
      status: () => needs.status(),
      survey: (peer) => asked?.of(peer) ?? own,
      storage: async () => ({
        ...(await store.stat()),
        soundness: soundnessOf(store),
        isScrubbing: store.scrubState.isUnderWay,
        upkeep: upkeep.state,
      }),
    },
    jobDetails: async (id) => {
      if (asked === undefined || network === undefined) return jobs.details(id)
      const { self } = network
      const { peers } = network.linkCalls
      return jobDetailsOfAll({ jobs, self, peers, survey: (peer) => asked.of(peer) }, id)
    },
    close: async () => {
      await upkeep.close()
      await actionLog.close()
    },
  }
}
