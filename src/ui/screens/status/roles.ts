// Who has which role in the network, and who has said what of roles: for the status page and the console.

import type { RolesStatus } from '../../../model/peer-status.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import { rolesTexts } from '../../texts/roles.ts'

const peersShown = 100
const saidShown = 50
const standings = { counts: rolesTexts.holds, pending: rolesTexts.waits, void: rolesTexts.void } as const

/** As the network names them. */
export const roleWords: Readonly<Record<string, Html>> = {
  member: rolesTexts.member,
  curator: rolesTexts.curator,
  admin: rolesTexts.admin,
  volunteer: rolesTexts.volunteer,
  revoked: rolesTexts.revoked,
}

export function rolesSection(roles: RolesStatus): Html {
  return html`<section aria-labelledby="roles"><h2 id="roles">${rolesTexts.roles}</h2>${rolesTables(roles)}</section>`
}

export function rolesTables({ peers, revoked, said, settings }: RolesStatus): Html {
  const more = peers.length + revoked.length - peersShown
  const rows = [
    ...peers.map(({ peer, role, sites }) => ({
      peer,
      role,
      sites: sites.length > 0 ? sites.join(', ') : role === 'curator' ? rolesTexts.allSites : '',
    })),
    ...revoked.map((peer) => ({ peer, role: 'revoked', sites: '' })),
  ]
  return html`<div class="scroll peers" tabindex="0" role="region" aria-label="${rolesTexts.rolesOfPeers}"><table><thead><tr><th scope="col">${rolesTexts.peer}</th><th scope="col">${rolesTexts.role}</th><th scope="col">${rolesTexts.sites}</th></tr></thead>
<tbody>${rows.slice(0, peersShown).map(({ peer, role, sites }) => html`<tr><th scope="row"><code title="${peer}">…${peer.slice(-8)}</code></th><td>${roleWords[role] ?? role}</td><td>${sites}</td></tr>`)}</tbody></table></div>
${more > 0 ? html`<p class="note">${rolesTexts.more({ number: more })}</p>` : nothing}
<p class="note">${settingsWords(settings)}</p>
${said.length === 0 ? nothing : history(said)}`
}

function history(said: RolesStatus['said']): Html {
  return html`<h3>${rolesTexts.whoSaid}</h3>
<div class="scroll peers" tabindex="0" role="region" aria-label="${rolesTexts.grants}"><table><thead><tr><th scope="col">${rolesTexts.when}</th><th scope="col">${rolesTexts.who}</th><th scope="col">${rolesTexts.what}</th><th scope="col">${rolesTexts.why}</th><th scope="col"><span class="unseen">${rolesTexts.standing}</span></th></tr></thead>
<tbody>${said.slice(0, saidShown).map(({ atMs, author, isFounders, what, reason, standing }) => html`<tr><th scope="row">${momentElement(atMs)}</th><td><code title="${author}">…${author.slice(-8)}</code>${isFounders ? rolesTexts.withKey : ''}</td><td>${inEnglish(what)}</td><td dir="auto">${reason}</td><td>${standings[standing]}</td></tr>`)}</tbody></table></div>`
}

function settingsWords({
  threshold,
  takedownSignatures,
  takedownDelayMs,
  jobPagesMax,
}: RolesStatus['settings']): Html {
  const delay =
    takedownDelayMs === 0
      ? rolesTexts.atOnce
      : rolesTexts.afterMinutes({ number: Math.round(takedownDelayMs / 60_000) })
  return html`${threshold > 1 ? rolesTexts.threshold({ number: threshold }) : rolesTexts.oneAdmin} ${
    takedownSignatures > 1
      ? rolesTexts.takedownBy({ number: takedownSignatures, delay })
      : rolesTexts.takedown({ delay })
  }${jobPagesMax > 0 ? html` ${rolesTexts.jobPages({ number: String(jobPagesMax) })}` : nothing}`
}
