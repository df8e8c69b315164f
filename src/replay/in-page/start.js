// Start: makes a replayed page believe that it is where it was, before its first script runs. Loaded with wombat before it.
//
// What wombat relies on and an origin like no other lacks is put in place first; then wombat; then what it gets wrong here.

import { letAddressChange, showBelievedAddress } from './address.js'
import { lendDocumentsToBlankFrames } from './blank-frames.js'
import { keepCachesInMemory } from './caches.js'
import { keepDatabasesInMemory } from './databases.js'
import { closeDoors } from './doors.js'
import { shareImages } from './images.js'
import { resolveImports } from './imports.js'
import { prepareInnerStart, startInnerDocuments } from './inner-documents.js'
import { scopeMadeFunctions } from './made-functions.js'
import { rewriteMadeMaps } from './made-maps.js'
import { rewriteMadeSheets } from './made-sheets.js'
import { hearMissingOfFetch } from './missing-parts.js'
import {
  listenWithoutWindow,
  showFramesAsStandIns,
  showWindowsAround,
  standInForOtherWindows,
} from './other-windows.js'
import { facts, isReplayTop } from './page-facts.js'
import { Report } from './report.js'
import { bringSprites } from './sprites.js'
import { emulateStorage } from './storage.js'
import { trustTexts } from './trusted-texts.js'
import { letWorkersStart } from './workers.js'

const report = new Report(facts, () => window.WB_wombat_location?.href ?? facts.url)

prepareInnerStart(facts)
trustTexts()
emulateStorage()
closeDoors()
letAddressChange(() => report.tell())
standInForOtherWindows(facts.replay)
startInnerDocuments()
lendDocumentsToBlankFrames()
shareImages()
bringSprites()
showFramesAsStandIns()
rewriteMadeMaps(facts)
hearMissingOfFetch(window, (urls) => report.addMissing(urls))

const original = new URL(facts.url)
const prefix = `${facts.replay}/web/`
window._WBWombatInit({
  url: facts.url,
  timestamp: facts.capturedAt,
  request_ts: facts.timestamp,
  prefix,
  mod: facts.modifier,
  is_framed: false,
  is_live: false,
  coll: '',
  proxy_magic: '',
  static_prefix: `${prefix}_/`,
  enable_auto_fetch: false,
  wombat_ts: facts.timestamp,
  wombat_scheme: original.protocol.slice(0, -1),
  wombat_host: original.host,
  wombat_sec: String(facts.capturedAtSeconds),
  wombat_opts: {},
  target_frame: '_self',
  pixel_ratio: window.devicePixelRatio,
})

listenWithoutWindow()
keepDatabasesInMemory(window)
keepCachesInMemory(window, (request) =>
  window._wb_wombat.extract_orig(new URL(request.url ?? request, document.baseURI).href),
)
showBelievedAddress(window.WB_wombat_location)
if (!isReplayTop) showWindowsAround()
window._____WB$wombat$assign$function_____ = (name) => window._wb_wombat?.local_init?.(name) || window[name]
scopeMadeFunctions()
rewriteMadeSheets()
resolveImports(facts)
letWorkersStart(window, {
  ...facts,
  base: () => document.baseURI,
  whenMissing: (urls) => report.addMissing(urls),
})

if (isReplayTop && facts.modifier === 'mp_') report.start()
else if (!isReplayTop) report.startParts()
