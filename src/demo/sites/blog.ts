// The blog: a post now and then, comments that grow.

import { html } from '../../ui/markup/html.ts'
import { drawing, type LittleSite, type Moment, page, pick, type SiteAnswer, style } from './site.ts'

const colour = '#3b6b35'
const postEverySeconds = 45
const postsAtFirst = 5
const postsMax = 20
const commentEverySeconds = 25

const subjects = [
  'Beans',
  'The compost in March',
  'A wall of snails',
  'Rain, at last',
  'What the hedge knows',
  'Seeds from my grandmother',
  'Nothing grows in the shade',
]
const thoughts = [
  'I sat with it for an hour and did nothing, which is most of gardening.',
  'The soil is dark now and smells of cellar.',
  'Somebody in the village says ash helps; somebody else says it does not; both have good beans.',
  'The tide was high that night and the spray came as far as the cabbages.',
  'If you have seeds to swap, leave them in the box at the ferry.',
]
const comments = [
  'Ash helps!',
  'Ash does not help.',
  'Lovely picture.',
  'Mine died.',
  'Which ferry?',
  'Thank you for this.',
]

export const blog: LittleSite = {
  name: 'garden',
  title: 'Slow Garden',
  what: 'a blog: a post now and then, comments below',
  answer(path, moment) {
    if (path === '/') return list(moment)
    if (path === '/style.css') return style(colour)
    const [, kind, digits] = /^\/(post|picture)\/(\d+)(?:\.svg)?$/.exec(path) ?? []
    const number = Number(digits)
    if (digits === undefined || number >= postCount(moment)) return undefined
    return kind === 'picture' ? drawing(number + 80, colour) : post(number, moment)
  },
}

function postCount({ seconds }: Moment): number {
  return Math.min(postsMax, postsAtFirst + Math.floor(seconds / postEverySeconds))
}

function titleOf(number: number): string {
  return `${pick(subjects, number)}${number < subjects.length ? '' : `, part ${Math.floor(number / subjects.length) + 1}`}`
}

function list(moment: Moment): SiteAnswer {
  const numbers = Array.from({ length: postCount(moment) }, (_, index) => index).reverse()
  return page({
    title: 'Slow Garden',
    description: 'Notes from a garden by the sea.',
    colour,
    body: html`<header><h1>Slow Garden</h1><p><small>Notes from a garden by the sea.</small></p></header>
<main>${numbers.map((number) => html`<h2><a href="/post/${number}">${titleOf(number)}</a></h2><p>${pick(thoughts, number)}</p>\n`)}</main>
<footer><p>I read <a href="${moment.origin('lantern')}/">The Lantern</a> and look at the <a href="${moment.origin('tides')}/">tides</a>.</p></footer>`,
  })
}

function post(number: number, { seconds, origin }: Moment): SiteAnswer {
  const count = Math.min(12, Math.floor((seconds + number * 10) / commentEverySeconds))
  const said = Array.from({ length: count }, (_, index) => pick(comments, index * 5 + number))
  return page({
    title: `${titleOf(number)} – Slow Garden`,
    description: pick(thoughts, number),
    colour,
    body: html`<header><p><a href="/">Slow Garden</a></p></header>
<main><h1>${titleOf(number)}</h1><img src="/picture/${number}.svg" alt="">
${[0, 1, 2].map((at) => html`<p>${pick(thoughts, number + at)}</p>\n`)}
<p>I read it first in <a href="${origin('lantern')}/story/${number}">The Lantern</a>.</p>
<h2>${count} comments</h2><ul>${said.map((text) => html`<li>${text}</li>\n`)}</ul></main>`,
  })
}
