// Role authority: what each role may say to all peers, and whether what somebody said counts.
//
//   takedowns, rules    curators in their sites, administrators anywhere
//   jobs                members up to the network's size (`jobPagesMax`), curators beyond it
//   forget              administrators
//   roles, settings     administrators; the threshold the network's key alone
//
// Asked when something takes effect, not when it is passed on: roles change, and what is a valid announcement must not. In a network from
// before there were roles every member may do everything, until the home in which it was made has begun their history.

import type { RuleTarget } from '../../model/jobs/site-rule.ts'
import { siteOf } from '../../model/url/site.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { TakedownTarget } from '../../store/takedowns/takedown-record.ts'
import { type Announcement, idOf } from '../announcements/announcement.ts'
import { isAtLeast, type NamedRole, type Role } from '../membership/role.ts'
import type { EffectiveSettings } from './effective-settings.ts'
import { RoleError } from './role-error.ts'
import type { RoleHistory } from './role-history.ts'
import { textOfAnnouncementId } from './role-statement.ts'

/** Stands for more than one site: only who has all may. */
export const severalSites = '*'

export interface RoleAuthority {
  readonly settings: EffectiveSettings
  /** The grant that we act by for this site; undefined where none is needed. Throws 'role-lacking', with who may. */
  rightTo(what: string, site: string): string | undefined
  /** Whether an announcement counts that was made by this grant. */
  counts(announcement: Announcement, by: string | undefined, site: string): boolean
  /** Whether the peer has at least this role now. */
  isNow(peer: PeerId, least: Role): boolean
  isRevoked(peer: PeerId): boolean
  revoked(): readonly PeerId[]
  /** Whether the peer may begin a job of so many pages; undefined: without a bound. */
  mayBegin(peer: PeerId, pages: number | undefined): boolean
  /** Throws 'role-lacking' unless we may. */
  checkBegin(pages: number | undefined): void
  /** Throws 'role-lacking' unless we have it. */
  checkNow(what: string, least: Role): void
  /** Whenever an answer may be another one. Gives a function that ends this. */
  onChange(listener: () => void): () => void
}

interface Needs {
  readonly self: PeerId
  history(): RoleHistory
  /** Whether our own membership is from before there were roles. */
  readonly isFromBefore: boolean
  roleOf(peer: PeerId): NamedRole | undefined
  onChange(listener: () => void): () => void
}

const namedMax = 5

export function roleAuthority(needs: Needs): RoleAuthority {
  const mayEverybody = () => needs.isFromBefore && !needs.history().hasBegun
  const refuse = (what: string, least: Role, site: string | undefined): never => {
    throw new RoleError('role-lacking', refusalOf(needs, what, least, site))
  }
  const mayBegin = (peer: PeerId, pages: number | undefined): boolean => {
    if (mayEverybody()) return true
    const role = needs.roleOf(peer)?.role
    if (role === 'volunteer' || needs.history().roleOf(peer) === 'revoked') return false
    const { jobPagesMax } = needs.history().settings
    const isSmall = jobPagesMax === 0 || (pages !== undefined && pages <= jobPagesMax)
    return isSmall || isAtLeast(role, 'curator')
  }
  return {
    isRevoked: (peer) => needs.history().roleOf(peer) === 'revoked',
    revoked: () => needs.history().revoked(),
    mayBegin,
    checkBegin: (pages) => {
      const { jobPagesMax } = needs.history().settings
      if (!mayBegin(needs.self, pages))
        refuse(`begin jobs of more than ${jobPagesMax} pages (--pages)`, 'curator', undefined)
    },
    get settings() {
      return needs.history().settings
    },
    rightTo: (what, site) => {
      if (mayEverybody()) return undefined
      return needs.history().grantOf(needs.self, 'curator', site) ?? refuse(what, 'curator', site)
    },
    counts: (announcement, by, site) => {
      if (mayEverybody()) return true
      const id = textOfAnnouncementId(idOf(announcement))
      return needs.history().counts({ id, author: announcement.peer, by }, 'curator', site)
    },
    isNow: (peer, least) => mayEverybody() || isAtLeast(needs.roleOf(peer)?.role, least),
    checkNow: (what, least) => {
      if (!mayEverybody() && !isAtLeast(needs.roleOf(needs.self)?.role, least)) refuse(what, least, undefined)
    },
    onChange: (listener) => needs.onChange(listener),
  }
}

/** Who may, for who may not. */
function refusalOf(
  { self, history, roleOf }: Needs,
  what: string,
  least: Role,
  site: string | undefined,
): string {
  const peers = history().peers()
  const having = (role: Role) =>
    peers.filter((peer) => roleOf(peer)?.role === role && !isElsewhere(roleOf(peer)!, site))
  const admins = having('admin')
  const curators = least === 'curator' ? having('curator') : []
  const where = site === undefined || site === severalSites ? '' : ` in ${site}`
  const who = [
    `administrators${listOf(admins)}`,
    ...(least === 'curator' ? [`curators of the site${listOf(curators)}`] : []),
  ]
  const own = roleOf(self)
  const sites =
    own?.role === 'curator' && own.sites.length > 0 ? ` of ${own.sites.slice(0, namedMax).join(', ')}` : ''
  const we = own === undefined ? 'This peer has no role' : `This peer is a ${own.role}${sites}`
  return `${we}: to ${what}${where} is for ${who.join(' and ')}. Ask one of them.`
}

function isElsewhere({ role, sites }: NamedRole, site: string | undefined): boolean {
  return role === 'curator' && site !== undefined && sites.length > 0 && !sites.includes(site)
}

function listOf(peers: readonly PeerId[]): string {
  if (peers.length === 0) return ''
  const more = peers.length > namedMax ? ` and ${peers.length - namedMax} more` : ''
  return ` (${peers.slice(0, namedMax).join(', ')}${more})`
}

/** Where every member may do everything, as in peers without a network. */
export const everyMember: RoleAuthority = {
  settings: { threshold: 1, takedownSignatures: 1, takedownDelayMs: 0, jobPagesMax: 0 },
  rightTo: () => undefined,
  counts: () => true,
  isNow: () => true,
  isRevoked: () => false,
  revoked: () => [],
  mayBegin: () => true,
  checkBegin: () => {},
  checkNow: () => {},
  onChange: () => () => {},
}

export function siteOfTakedown(target: TakedownTarget): string {
  return target.kind === 'site' ? target.site : (tryParseUrl(target.url)?.site ?? severalSites)
}

export function siteOfRule(target: RuleTarget): string {
  if (target.kind === 'site') return target.site
  if (target.kind === 'host') return siteOf(target.host)
  return target.kind === 'url' ? (tryParseUrl(target.url)?.site ?? severalSites) : severalSites
}
