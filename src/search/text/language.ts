// Language detection: by script, and where that is shared by the short words that every text of a language has. What the page says
// counts as a hint, not as a fact: templates say `en` on pages in every language.

const shortWords: Readonly<Record<string, string>> = {
  en: 'the of and to in is that for it with as was on be by this are from at or an which not have has you we they',
  de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei',
  fr: 'de la le et les des en un une du dans est que pour qui sur pas plus par ne se ce il sont au avec son ou cette aux être',
  es: 'de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha este sí porque esta',
  it: 'di e il la che in un per è una del non sono da con si le dei nel della al come più ma anche gli alla ha lo questo delle',
  pt: 'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou',
  nl: 'de van een het en in is dat op te zijn voor met die niet aan er om ook als bij door nog naar wordt heeft uit over deze',
  sv: 'och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när',
  da: 'og i at det er en til af på den med for ikke der de som et har var han men sig om fra vi så kan jeg blev',
  no: 'og i det er på som en til av for at med han den ikke de har var et om men seg fra vi så kan jeg ble etter også',
  fi: 'ja on ei että se oli hän mutta ovat kun niin myös tai mitä joka sen ole kuin jos vain olla sitä voi mukaan',
  pl: 'i w na z do się nie że o jest to jak po co za od a przez ale dla są ich tak był które jego także',
  cs: 'a v se na je že s z do o to i k jako za by pro od ale po jsou které byl který nebo jeho také',
  ro: 'și în de la a cu pe nu o din care că este un mai se pentru să sunt fost au ca prin sau după lui',
  hu: 'a az és hogy nem is egy ez meg csak de már volt azt mint el még vagy ha kell amely lehet után szerint',
  tr: 've bir bu da de için ile çok olarak daha olan gibi en kadar sonra ne var o ama ise değil her',
  id: 'yang dan di dari untuk dengan ini itu pada adalah tidak dalam akan ke oleh juga atau sebagai telah karena ada',
}
const russian = 'и в не на что с по это как из он за но от для к так его все то была был или'
const ukrainian = 'і в не на що з та до як це за від у для але про його був або є які також'

const scripts: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Devanagari}/u, 'hi'],
]

/** The words of a text that tell its language. */
export const wordsOfLanguage = 400
const languages = [...Object.keys(shortWords), 'ru', 'uk']
/** The numbers of the languages that have the word. */
const languagesOf = new Map<string, number[]>()
for (const [language, words] of Object.entries({ ...shortWords, ru: russian, uk: ukrainian }))
  for (const word of words.split(' '))
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), languages.indexOf(language)])

/** What a word tells of the language of its text: its script, or the numbers of languages that have it among their short words. */
export type LanguageSign = { readonly script: string | undefined; readonly languages: readonly number[] }

const noSign: LanguageSign = { script: undefined, languages: [] }

export function signOf(word: string): LanguageSign {
  const found = languagesOf.get(word)
  const script = word.charCodeAt(0) < 0x370 ? undefined : scripts.find(([pattern]) => pattern.test(word))?.[1]
  return found === undefined && script === undefined ? noSign : { script, languages: found ?? [] }
}

/** Two letters, as in ISO 639-1; '' where the text does not tell. `signs`: of its words, as many as are looked at. */
export function languageOf(signs: readonly LanguageSign[], hint: string): string {
  const said = /^[a-z]{2}(?=$|[-_])/.exec(hint)?.[0] ?? ''
  const length = Math.min(signs.length, wordsOfLanguage)
  const script = scriptOf(signs)
  if (script !== undefined) return script
  const counts = new Float64Array(languages.length)
  for (let index = 0; index < length; index++)
    for (const language of signs[index]!.languages) counts[language] = counts[language]! + 1
  // The hint decides between neighbours, such as Danish and Norwegian.
  const hinted = languages.indexOf(said)
  if (hinted !== -1) counts[hinted] = counts[hinted]! * 1.25
  let best = 0
  for (let language = 1; language < counts.length; language++)
    if (counts[language]! > counts[best]!) best = language
  return counts[best]! >= Math.max(3, length * 0.05) ? languages[best]! : said
}

function scriptOf(signs: readonly LanguageSign[]): string | undefined {
  const counts = new Map<string, number>()
  for (let index = 0; index < Math.min(signs.length, 200); index++) {
    const { script } = signs[index]!
    if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1)
  }
  if (counts.size === 0) return undefined
  // Japanese is written with Chinese characters, too.
  if ((counts.get('ja') ?? 0) * 5 > (counts.get('zh') ?? 0)) counts.delete('zh')
  const [language, count] = [...counts].toSorted((one, other) => other[1] - one[1])[0] ?? ['', 0]
  return count * 3 > Math.min(signs.length, 200) ? language : undefined
}
