// `npm run sim -- whole [--seeds N] [--peers P] [--minutes M]`

import type { Scenario } from '../scenario.ts'
import { runWholeCampaign } from './campaign.ts'
import { runLossesCampaign } from './losses.ts'
import { manyVolunteers, runVolunteerCampaign } from './volunteer-campaign.ts'

export const wholeScenario: Scenario = {
  options: '[--peers P] [--minutes M] [--places]: peers take and give up places meanwhile',
  promise: 'whole peers crawl a web to its end, politely, and every peer shows all of it, whatever happens',
  seedsByDefault: 20,
  run: (seed, { peers, minutes, places } = {}) =>
    runWholeCampaign(seed, {
      ...(places && { hasMovingPlaces: true }),
      ...(peers !== undefined && { peers: Number(peers) }),
      ...(minutes !== undefined && { minutes: Number(minutes) }),
    }),
}

export const lossesScenario: Scenario = {
  options: '[--minutes M] [--places]: peers take and give up places meanwhile',
  promise:
    'whole peers crawl a web to its end although two at a time are killed, paused or lost with their disks',
  seedsByDefault: 10,
  run: (seed, { minutes, places } = {}) =>
    runLossesCampaign(seed, {
      ...(places && { hasMovingPlaces: true }),
      ...(minutes !== undefined && { minutes: Number(minutes) }),
    }),
}

export const volunteersScenario: Scenario = {
  options:
    '[--peers V] [--pages P]: volunteers (12), pages of each site (20); [--liars SHARE] (0.25); [--churn SHARE]: of all in a minute (0.1); [--large]: 1,000 volunteers, 24,000 pages, minutes',
  promise:
    'volunteers that die, forge, drop, delay and collude leave every page as its server sent it, and hosts asked politely',
  seedsByDefault: 5,
  run: (seed, { peers, large, pages, liars, churn } = {}) =>
    runVolunteerCampaign(seed, {
      ...(large && manyVolunteers),
      ...(peers !== undefined && { volunteers: Number(peers) }),
      ...(pages !== undefined && { pages: Number(pages) }),
      ...(liars !== undefined && { liarShare: Number(liars) }),
      ...(churn !== undefined && { churnPerMinute: Number(churn) }),
    }),
}
