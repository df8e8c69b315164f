// The newspaper: a front page with a clock, a new story every now and then, corrections of older ones.

import { html } from '../../ui/markup/html.ts'
import { drawing, type LittleSite, type Moment, page, pick, type SiteAnswer, style } from './site.ts'

const colour = '#7a1f2b'
const storyEverySeconds = 12
const storiesAtFirst = 8
const storiesMax = 60
const onFrontPage = 8
/** So much later a story is corrected. */
const correctionSeconds = 40

const who = [
  'The harbour council',
  'A baker of Mill Street',
  'The night librarian',
  'A schoolchild',
  'The ferry’s captain',
  'A retired clockmaker',
  'The museum',
]
const did = [
  'reopens the old observatory',
  'finds a map of the lost canal',
  'wins the kettle race',
  'plants a thousand lime trees',
  'mends the bell of the town hall',
  'counts every star of the harbour sky',
  'lends out umbrellas',
]
const why = [
  'after forty years',
  'for the whole town',
  'in one night',
  'against all advice',
  'before the first snow',
]
const sentences = [
  'Nobody had expected it, least of all the neighbours, who watched from their windows with cups in their hands.',
  'The work had been going on quietly since spring, paid for by a collection at the market.',
  'Asked for the reason, they pointed at the tide tables and laughed.',
  'The mayor called it a good day, and then a very good day.',
  'Older readers will remember the winter in which the canal froze and the post came by skates.',
  'Tickets are free; who comes early gets soup.',
  'A second look at the archives shows that it was tried before, and given up.',
]

export const newspaper: LittleSite = {
  name: 'lantern',
  title: 'The Lantern',
  what: 'a newspaper: a clock on its front page, new stories, corrections',
  answer(path, moment) {
    if (path === '/') return frontPage(moment)
    if (path === '/style.css') return style(colour)
    const [, kind, digits] = /^\/(story|picture)\/(\d+)(?:\.svg)?$/.exec(path) ?? []
    const number = Number(digits)
    if (digits === undefined || number >= storyCount(moment)) return undefined
    return kind === 'picture' ? drawing(number, colour) : story(number, moment)
  },
}

function storyCount({ seconds }: Moment): number {
  return Math.min(storiesMax, storiesAtFirst + Math.floor(seconds / storyEverySeconds))
}

function headline(number: number): string {
  return `${pick(who, number)} ${pick(did, number * 3 + 1)} ${pick(why, number * 2)}`
}

function frontPage(moment: Moment): SiteAnswer {
  const newest = storyCount(moment) - 1
  const numbers = Array.from({ length: onFrontPage }, (_, index) => newest - index)
  const clock = `${Math.floor(moment.seconds / 60)}:${String(Math.floor(moment.seconds % 60)).padStart(2, '0')}`
  return page({
    title: 'The Lantern',
    description: 'News of a town that is not on any map.',
    colour,
    body: html`<header><h1>The Lantern</h1><p><small>News of a town that is not on any map. Printed for ${clock} by our clock.</small></p></header>
<main><ul class="list">${numbers.map((number) => html`<li><a href="/story/${number}"><img src="/picture/${number}.svg" alt=""><br>${headline(number)}</a></li>\n`)}</ul></main>
<footer><p>Advertisement: <a href="${moment.origin('kettle')}/">Kettle &amp; Cup</a>. Tides by <a href="${moment.origin('tides')}/">Tides</a>. We read <a href="${moment.origin('garden')}/">Slow Garden</a>.</p></footer>`,
  })
}

function story(number: number, { seconds }: Moment): SiteAnswer {
  const bornAt = Math.max(0, (number - storiesAtFirst + 1) * storyEverySeconds)
  const isCorrected = seconds - bornAt > correctionSeconds + (number % 5) * 15
  const paragraphs = [0, 1, 2].map(
    (at) => `${pick(sentences, number + at * 2)} ${pick(sentences, number * 2 + at + 3)}`,
  )
  return page({
    title: `${headline(number)} – The Lantern`,
    description: headline(number),
    colour,
    body: html`<header><p><a href="/">The Lantern</a></p></header>
<main><h1>${headline(number)}</h1><img src="/picture/${number}.svg" alt="">
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}
${isCorrected && html`<p><strong>Correction:</strong> an earlier version of this story called the soup cold. It was warm, and there were ${number + 12} bowls of it.</p>`}
<p><a href="/story/${Math.max(0, number - 1)}">The story before</a></p></main>`,
  })
}
