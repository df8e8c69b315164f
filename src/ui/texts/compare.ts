// Two versions compared.

import { messagesOf } from '../language/message.ts'

export const compareTexts = messagesOf({
  en: {
    title: '{url}: {left} and {right} compared',
    whatChanged: 'What changed at',
    view: 'View',
    sideBySide: 'Side by side',
    inLine: 'In line',
    links: 'Links',
    looks: 'Looks',
    earlier: 'Earlier version',
    later: 'Later version',
    oneEarlier: 'One version earlier',
    oneLater: 'One version later',
    noTitle: 'no title',
    answered: 'answered {status}',
    identical:
      'The two versions, {apart} apart, are <strong>the same</strong> to the byte. Embedded parts may still look different.',
    cut: 'The pages are long: only their beginnings were compared.',
    onlyMarkup:
      'Within {apart}, <strong>no words and no links</strong> changed; only markup, styles or scripts did.',
    summary:
      'Within {apart}: {passages} changed, {added} added, {removed} removed; {links} added, {linksRemoved} removed.',
    passages: { one: '{count} passage', other: '{count} passages' },
    linkCount: { one: '{count} link', other: '{count} links' },
    morePassages: { one: 'and {count} more passage', other: 'and {count} more passages' },
    words: 'Words',
    coarse:
      'The two texts differ too much to be matched line by line: the old one is shown as removed, the new one as added.',
    sameWords: 'The words of both versions are the same.',
    earlierHead: 'Earlier',
    laterHead: 'Later',
    rowsLeftOut: {
      one: '{count} more row did not fit on this page.',
      other: '{count} more rows did not fit on this page.',
    },
    linesSame: { one: '{count} line the same', other: '{count} lines the same' },
    layout: 'How the pages are laid out',
    slider: 'Slider',
    fade: 'Fade',
    difference: 'Difference',
    mix: 'Where the two pages meet, or how much of the later one is seen',
    together: 'The two pages; they scroll together',
    looksNote:
      'In “Difference”, what is the same is black. Frames are as tall as the pages say, up to a limit.',
    earlierPage: 'Earlier page, {day}',
    laterPage: 'Later page, {day}',
    noWords: 'This is {type}, which has no words to compare; the looks are below.',
  },
  de: {
    title: '{url}: {left} und {right} verglichen',
    whatChanged: 'Was sich änderte an',
    view: 'Ansicht',
    sideBySide: 'Nebeneinander',
    inLine: 'Im Text',
    links: 'Links',
    looks: 'Aussehen',
    earlier: 'Frühere Version',
    later: 'Spätere Version',
    oneEarlier: 'Eine Version früher',
    oneLater: 'Eine Version später',
    noTitle: 'ohne Titel',
    answered: 'Antwort {status}',
    identical:
      'Die beiden Versionen (Abstand: {apart}) sind auf das Byte genau <strong>gleich</strong>. Eingebettete Teile können trotzdem anders aussehen.',
    cut: 'Die Seiten sind lang: Nur ihre Anfänge wurden verglichen.',
    onlyMarkup:
      'Abstand: {apart}. <strong>Keine Wörter und keine Links</strong> haben sich geändert, nur Auszeichnung, Stile oder Skripte.',
    summary:
      'Abstand: {apart}. {passages} geändert, {added} hinzugekommen, {removed} entfernt; {links} hinzugekommen, {linksRemoved} entfernt.',
    passages: { one: '{count} Stelle', other: '{count} Stellen' },
    linkCount: { one: '{count} Link', other: '{count} Links' },
    morePassages: { one: 'und {count} weitere Stelle', other: 'und {count} weitere Stellen' },
    words: 'Wörter',
    coarse:
      'Die beiden Texte sind zu verschieden, um sie Zeile für Zeile zuzuordnen: Der alte ist als entfernt gezeigt, der neue als hinzugekommen.',
    sameWords: 'Die Wörter beider Versionen sind gleich.',
    earlierHead: 'Früher',
    laterHead: 'Später',
    rowsLeftOut: {
      one: '{count} weitere Zeile passte nicht auf diese Seite.',
      other: '{count} weitere Zeilen passten nicht auf diese Seite.',
    },
    linesSame: { one: '{count} Zeile gleich', other: '{count} Zeilen gleich' },
    layout: 'Wie die Seiten angeordnet sind',
    slider: 'Schieber',
    fade: 'Überblenden',
    difference: 'Differenz',
    mix: 'Wo sich die beiden Seiten treffen oder wie viel von der späteren zu sehen ist',
    together: 'Die beiden Seiten; sie rollen gemeinsam',
    looksNote:
      'Bei „Differenz“ ist schwarz, was gleich ist. Rahmen sind so hoch, wie die Seiten angeben, bis zu einer Grenze.',
    earlierPage: 'Frühere Seite, {day}',
    laterPage: 'Spätere Seite, {day}',
    noWords: 'Dies ist {type} und hat keine Wörter, die sich vergleichen ließen; das Aussehen steht unten.',
  },
})
