// What the console tells of a site and of its queues, and what can be done to it.

import { writeFields } from '../../crawl/rules/written-rule.ts'
import type { SiteRule } from '../../model/jobs/site-rule.ts'
import type { SiteFacts } from '../../model/survey.ts'
import { printCount, printDecimal } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import { jobPath, linksPath, sitePath } from '../markup/links.ts'
import { consoleTexts } from '../texts/console.ts'
import { sharedTexts } from '../texts/shared.ts'
import { statusTexts } from '../texts/status.ts'
import { actionButton, actionChoice, actionField, dangerous } from './action-forms.ts'
import { peerName } from './branches.ts'
import { atLeast } from './console-words.ts'
import { factList } from './figures.ts'
import { nodeQuery, type QueueNode, type SiteNode } from './node.ts'

interface KnownOfSite {
  /** As its peer tells; undefined when that does not crawl it. */
  readonly facts: SiteFacts | undefined
  readonly rule: SiteRule | undefined
  readonly self: string
  /** The peer that is to crawl it instead of the one that the ring names. */
  readonly placedAt: string | undefined
}

export function siteFacts(node: SiteNode, known: KnownOfSite): Html {
  const { site, peer } = node
  const { facts, rule, self, placedAt } = known
  const heading = html`<h2><bdi>${site}</bdi></h2><p class="note"><a href="${sitePath(site)}">${consoleTexts.whatArchived}</a> · <a href="${linksPath('to', site)}">${consoleTexts.whoLinks}</a> · <a href="/visits?of=${site}">${consoleTexts.plannedVisits}</a> · <a href="/admin/stream?site=${site}">${consoleTexts.itsChanges}</a></p>`
  const body =
    facts === undefined
      ? html`<p class="trouble">${consoleTexts.notCrawledHere}</p>`
      : factList([
          [
            statusTexts.state,
            ruleWords(rule) ?? (facts.isCrawled ? consoleTexts.crawled : consoleTexts.waitsForLease),
          ],
          [consoleTexts.crawledBy, peerName(peer, self)],
          [consoleTexts.capturesHere, atLeast(facts.captures, facts.areCapturesMore)],
          [consoleTexts.pagesFresh, printCount(facts.pages)],
          [consoleTexts.urlsKnown, printCount(facts.known)],
          [consoleTexts.urlsQueued, atLeast(facts.queued, facts.isMore)],
          [consoleTexts.hosts, atLeast(facts.hosts, facts.isMore)],
          [
            consoleTexts.visitsPerDay,
            facts.visitsPerDay < 10 ? printDecimal(facts.visitsPerDay, 1) : printCount(facts.visitsPerDay),
          ],
          [consoleTexts.lease, facts.lease && consoleTexts.epoch({ number: String(facts.lease.epoch) })],
          [
            consoleTexts.frontierCopies,
            facts.lease && consoleTexts.partOf({ part: facts.copies, whole: facts.lease.members.length }),
          ],
          [
            consoleTexts.members,
            facts.lease?.members.map(
              (member) => html`<span class="member">${peerName(member, self)}</span> `,
            ),
          ],
          [consoleTexts.rule, rule && inEnglish(ruleText(rule))],
          [consoleTexts.placedAt, placedAt && peerName(placedAt, self)],
        ])
  return html`${heading}${body}${failingHosts(facts)}${siteActions(node, known)}`
}

/** What holds it back. */
function ruleWords(rule: SiteRule | undefined): Html | undefined {
  return rule?.access === 'pause'
    ? consoleTexts.pausedByRule
    : rule?.access === 'deny'
      ? consoleTexts.removedByRule
      : undefined
}

function ruleText(rule: SiteRule): string {
  return Object.entries(writeFields(rule))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function failingHosts(facts: SiteFacts | undefined): Html {
  if (facts === undefined || facts.failing.length === 0) return nothing
  return html`<h3>${consoleTexts.unreachable}</h3><ul class="recent">${facts.failing.map(({ host, reason, untilMs }) => html`<li>${host} <span class="note">${consoleTexts.triedAgain({ reason: inEnglish(reason), when: momentElement(untilMs) })}</span></li>`)}</ul>`
}

function siteActions(node: SiteNode, known: KnownOfSite): Html {
  const { site } = node
  const { rule } = known
  const shared = { of: { site }, back: nodeQuery(node) }
  const isPaused = rule?.access === 'pause'
  const isDenied = rule?.access === 'deny'
  return html`<h3>${consoleTexts.do}</h3><div class="console-actions">
<div class="console-buttons">${
    isPaused || isDenied
      ? actionButton({
          action: 'resume',
          label: isPaused ? consoleTexts.resume : consoleTexts.crawlAgain,
          isPrimary: true,
          ...shared,
        })
      : actionButton({ action: 'pause', label: sharedTexts.pause, ...shared })
  }${actionButton({ action: 'reseed', label: consoleTexts.crawlAnew, ...shared })}</div>
${actionField(
  { action: 'revisit-every', label: consoleTexts.set, ...shared },
  {
    name: 'every',
    label: consoleTexts.visitEvery,
    placeholder: consoleTexts.everyPlaceholder,
    value: String((rule && writeFields(rule).fresh) ?? ''),
  },
)}
${isDenied ? nothing : dangerous(consoleTexts.removeFrom, consoleTexts.removeWords, actionButton({ action: 'remove', label: sharedTexts.remove, ...shared }))}
${dangerous(consoleTexts.takeItDown, consoleTexts.takeDownWords, actionField({ action: 'take-down', label: consoleTexts.takeDown, ...shared }, { name: 'reason', label: consoleTexts.whyLabel, placeholder: consoleTexts.askedBy }))}
${moveForm(node, known)}
</div>`
}

/** To another of those who keep it. */
function moveForm(node: SiteNode, { facts, self, placedAt }: KnownOfSite): Html {
  const members = facts?.lease?.members ?? []
  if (members.length < 2 && placedAt === undefined) return nothing
  const of = { site: node.site }
  const form = { action: 'move', label: consoleTexts.move, of, back: '' }
  const others = members.filter((member) => member !== node.peer)
  const words = consoleTexts.moveWords({ count: members.length })
  return dangerous(
    consoleTexts.moveIt,
    words,
    html`${others.length === 0 ? nothing : actionChoice(form, { name: 'peer', label: consoleTexts.crawledByLabel, options: others.map((member) => [member, peerName(member, self)]) })}${placedAt === undefined ? nothing : actionButton({ ...form, label: consoleTexts.leaveToRing })}`,
  )
}

export function queueFacts(node: QueueNode): Html {
  const { queue, site } = node
  if (queue === undefined)
    return html`<h2>${consoleTexts.keptFresh}</h2><p>${consoleTexts.freshWords({ site })}</p>`
  return html`<h2>${queue.host}</h2><p>${queue.job === '' ? consoleTexts.queueOfOver : consoleTexts.queueOf({ job: (words) => html`<a href="${jobPath(queue.job)}">${words}</a>` })}</p>
<div class="console-actions"><div class="console-buttons">${actionButton({ action: 'deny', label: consoleTexts.denyHost, of: { host: hostOf(queue.host) }, back: nodeQuery(node) })}${actionButton({ action: 'allow', label: consoleTexts.allowIt, of: { host: hostOf(queue.host) }, back: nodeQuery(node) })}</div></div>`
}

/** Without its port: rules are for names. */
function hostOf(authority: string): string {
  return authority.replace(/:\d+$/, '')
}
