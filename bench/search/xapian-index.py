# Xapian, driven by lines of JSON: {"index": [[url, title, text], ...]}, {"commit": true}, {"ask": [[word, ...], ...], "callers": 8}.
# Each order is answered by one line. Callers are processes, each with the database opened for itself.
import json, multiprocessing, os, sys, time
import xapian

folder = sys.argv[1]
database = xapian.WritableDatabase(folder, xapian.DB_CREATE_OR_OPEN)
generator = xapian.TermGenerator()
generator.set_stemmer(xapian.Stem("en"))


def add(url, title, text):
    document = xapian.Document()
    generator.set_document(document)
    generator.index_text(title, 8, "S")
    generator.index_text(title, 8)
    generator.increase_termpos()
    generator.index_text(text)
    document.set_data(json.dumps([url, title, text]))
    document.add_boolean_term("Q" + url)
    database.replace_document("Q" + url, document)


def ask(queries):
    reading = xapian.Database(folder)
    parser = xapian.QueryParser()
    parser.set_stemmer(xapian.Stem("en"))
    parser.set_stemming_strategy(parser.STEM_SOME)
    parser.set_default_op(xapian.Query.OP_AND)
    times = []
    for words in queries:
        start = time.perf_counter()
        enquire = xapian.Enquire(reading)
        enquire.set_query(parser.parse_query(" ".join(words)))
        # The last number: so many are looked at, so that the count is exact, as the others'.
        found = enquire.get_mset(0, 10, reading.get_doccount())
        for match in found:
            url, title, text = json.loads(match.document.get_data())
            found.snippet(text, 200)
        times.append(1000 * (time.perf_counter() - start))
    return times


def answer(order):
    if "index" in order:
        for page in order["index"]:
            add(*page)
        return True
    if "commit" in order:
        database.commit()
        return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    callers = order["callers"]
    if callers == 1:
        return ask(order["ask"])
    with multiprocessing.Pool(callers) as pool:
        shares = [order["ask"][caller::callers] for caller in range(callers)]
        return [time for times in pool.map(ask, shares, 1) for time in times]


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
