// How fast is crawled, which a script tells.

import { messagesOf } from '../language/message.ts'

export const crawlRateTexts = messagesOf({
  en: {
    nothingFetched: 'Nothing is being fetched.',
    rate: '{pages} fetched per second, {bytes} per second',
    rateSpan: 'last two minutes, up to {most} per second',
  },
  de: {
    nothingFetched: 'Es wird nichts abgerufen.',
    rate: '{pages} je Sekunde abgerufen, {bytes} je Sekunde',
    rateSpan: 'letzte zwei Minuten, bis zu {most} je Sekunde',
  },
})
