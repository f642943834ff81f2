"""Contradictions in ten languages are never called agreement, with and without the model."""

from __future__ import annotations

import pytest

from mutual_dissent.analysis.bottom_lines import compare_lines, takes_no_position

CONTRADICTIONS = {
    "English": [
        ("The bridge carries 40 tonnes.", "The bridge carries 60 tonnes."),
        ("The bridge will hold.", "The bridge will collapse."),
        ("Yes, the bridge carries 40 tonnes.", "No, the bridge does not carry 40 tonnes."),
        ("The vaccine is safe for children.", "The vaccine is not safe for children."),
        ("We should buy the house now.", "We should not buy the house now."),
        ("Option A", "Option B"),
        ("Choose Postgres.", "Choose MySQL."),
        ("The treaty was signed in 1648.", "The treaty was signed in 1659."),
        ("At least 40 tonnes.", "At most 40 tonnes."),
        ("Prices will rise next year.", "Prices will fall next year."),
        ("It was 40 tonnes.", "It was anything but 40 tonnes."),
        ("Everyone may enter after 1990.", "Nobody may enter after 1990."),
    ],
    "German": [
        ("Ja, die Brücke hält 40 Tonnen.", "Nein, die Brücke hält keine 40 Tonnen."),
        ("Die Brücke hält 40 Tonnen.", "Die Brücke hält keine 40 Tonnen."),
        ("Die Brücke hält 40 Tonnen.", "Die Brücke hält 60 Tonnen."),
        ("Der Impfstoff ist sicher.", "Der Impfstoff ist nicht sicher."),
        ("Wir sollten das Haus kaufen.", "Wir sollten das Haus nicht kaufen."),
        ("Variante A", "Variante B"),
        ("Die Preise werden steigen.", "Die Preise werden fallen."),
        ("Mindestens 40 Tonnen.", "Höchstens 40 Tonnen."),
        ("Der Vertrag ist gültig.", "Der Vertrag ist ungültig."),
        ("Ja.", "Nein."),
        ("Es waren 40 Tonnen.", "Es waren niemals 40 Tonnen."),
        ("Das Gesetz gilt seit 1990.", "Das Gesetz gilt erst nach 1990."),
    ],
    "French": [
        ("Oui, le pont supporte 40 tonnes.", "Non, le pont ne supporte pas 40 tonnes."),
        ("Le pont supporte 40 tonnes.", "Le pont ne supporte pas 40 tonnes."),
        ("Le pont supporte 40 tonnes.", "Le pont supporte 60 tonnes."),
        ("Le vaccin est sûr.", "Le vaccin n'est pas sûr."),
        ("Il faut acheter la maison.", "Il ne faut pas acheter la maison."),
        ("Option A", "Option B"),
        ("Les prix vont monter.", "Les prix vont baisser."),
        ("Au moins 40 tonnes.", "Au plus 40 tonnes."),
        ("Le contrat est valable.", "Le contrat est nul."),
        ("Oui.", "Non."),
        ("C'était 40 tonnes.", "Ce n'était jamais 40 tonnes."),
        ("La loi vaut depuis 1990.", "La loi vaut jusqu'en 1990."),
    ],
    "Spanish": [
        ("Sí, el puente aguanta 40 toneladas.", "No, el puente no aguanta 40 toneladas."),
        ("El puente aguanta 40 toneladas.", "El puente no aguanta 40 toneladas."),
        ("El puente aguanta 40 toneladas.", "El puente aguanta 60 toneladas."),
        ("La vacuna es segura.", "La vacuna no es segura."),
        ("Deberíamos comprar la casa.", "No deberíamos comprar la casa."),
        ("Opción A", "Opción B"),
        ("Los precios van a subir.", "Los precios van a bajar."),
        ("Al menos 40 toneladas.", "Como máximo 40 toneladas."),
        ("El contrato es válido.", "El contrato es nulo."),
        ("Sí.", "No."),
        ("Fueron 40 toneladas.", "Nunca fueron 40 toneladas."),
        ("La ley rige desde 1990.", "La ley rigió hasta 1990."),
    ],
    "Italian": [
        ("Sì, il ponte regge 40 tonnellate.", "No, il ponte non regge 40 tonnellate."),
        ("Il ponte regge 40 tonnellate.", "Il ponte non regge 40 tonnellate."),
        ("Il ponte regge 40 tonnellate.", "Il ponte regge 60 tonnellate."),
        ("Il vaccino è sicuro.", "Il vaccino non è sicuro."),
        ("Dovremmo comprare la casa.", "Non dovremmo comprare la casa."),
        ("Opzione A", "Opzione B"),
        ("I prezzi saliranno.", "I prezzi scenderanno."),
        ("Almeno 40 tonnellate.", "Al massimo 40 tonnellate."),
        ("Il contratto è valido.", "Il contratto è nullo."),
        ("Sì.", "No."),
        ("Erano 40 tonnellate.", "Non erano mai 40 tonnellate."),
        ("La legge vale dal 1990.", "La legge valeva fino al 1990."),
    ],
    "Portuguese": [
        ("Sim, a ponte aguenta 40 toneladas.", "Não, a ponte não aguenta 40 toneladas."),
        ("A ponte aguenta 40 toneladas.", "A ponte não aguenta 40 toneladas."),
        ("A ponte aguenta 40 toneladas.", "A ponte aguenta 60 toneladas."),
        ("A vacina é segura.", "A vacina não é segura."),
        ("Devemos comprar a casa.", "Não devemos comprar a casa."),
        ("Opção A", "Opção B"),
        ("Os preços vão subir.", "Os preços vão cair."),
        ("Pelo menos 40 toneladas.", "No máximo 40 toneladas."),
        ("O contrato é válido.", "O contrato é nulo."),
        ("Sim.", "Não."),
        ("Eram 40 toneladas.", "Nunca foram 40 toneladas."),
        ("A lei vale desde 1990.", "A lei valeu até 1990."),
    ],
    "Dutch": [
        ("Ja, de brug houdt 40 ton.", "Nee, de brug houdt geen 40 ton."),
        ("De brug houdt 40 ton.", "De brug houdt geen 40 ton."),
        ("De brug houdt 40 ton.", "De brug houdt 60 ton."),
        ("Het vaccin is veilig.", "Het vaccin is niet veilig."),
        ("We moeten het huis kopen.", "We moeten het huis niet kopen."),
        ("Optie A", "Optie B"),
        ("De prijzen zullen stijgen.", "De prijzen zullen dalen."),
        ("Minstens 40 ton.", "Hoogstens 40 ton."),
        ("Het contract is geldig.", "Het contract is ongeldig."),
        ("Ja.", "Nee."),
        ("Het was 40 ton.", "Het was nooit 40 ton."),
        ("De wet geldt sinds 1990.", "De wet gold tot 1990."),
    ],
    "Polish": [
        ("Tak, most utrzyma 40 ton.", "Nie, most nie utrzyma 40 ton."),
        ("Most utrzyma 40 ton.", "Most nie utrzyma 40 ton."),
        ("Most utrzyma 40 ton.", "Most utrzyma 60 ton."),
        ("Szczepionka jest bezpieczna.", "Szczepionka nie jest bezpieczna."),
        ("Powinniśmy kupić dom.", "Nie powinniśmy kupować domu."),
        ("Opcja A", "Opcja B"),
        ("Ceny wzrosną.", "Ceny spadną."),
        ("Co najmniej 40 ton.", "Co najwyżej 40 ton."),
        ("Umowa jest ważna.", "Umowa jest nieważna."),
        ("Tak.", "Nie."),
        ("To było 40 ton.", "To nigdy nie było 40 ton."),
        ("Ustawa obowiązuje od 1990.", "Ustawa obowiązywała do 1990."),
    ],
    "Russian": [
        ("Да, мост выдержит 40 тонн.", "Нет, мост не выдержит 40 тонн."),
        ("Мост выдержит 40 тонн.", "Мост не выдержит 40 тонн."),
        ("Мост выдержит 40 тонн.", "Мост выдержит 60 тонн."),
        ("Вакцина безопасна.", "Вакцина небезопасна."),
        ("Нам следует купить дом.", "Нам не следует покупать дом."),
        ("Вариант A", "Вариант B"),
        ("Цены вырастут.", "Цены упадут."),
        ("Не менее 40 тонн.", "Не более 40 тонн."),
        ("Договор действителен.", "Договор недействителен."),
        ("Да.", "Нет."),
        ("Это было 40 тонн.", "Это никогда не было 40 тонн."),
        ("Закон действует с 1990.", "Закон действовал до 1990."),
    ],
    "Chinese and Japanese": [
        ("是的，这座桥能承受40吨。", "不，这座桥不能承受40吨。"),
        ("这座桥能承受40吨。", "这座桥不能承受40吨。"),
        ("这座桥能承受40吨。", "这座桥能承受60吨。"),
        ("疫苗是安全的。", "疫苗是不安全的。"),
        ("应该买这栋房子。", "不应该买这栋房子。"),
        ("选项A", "选项B"),
        ("はい、この橋は40トンに耐えます。", "いいえ、この橋は40トンに耐えません。"),
        ("この橋は40トンに耐えます。", "この橋は40トンに耐えません。"),
        ("価格は上がる。", "価格は下がる。"),
        ("はい。", "いいえ。"),
        ("至少40吨。", "至多40吨。"),
        ("1990年以降。", "1990年以前。"),
    ],
}
QUERIES = {
    "English": "How many tonnes does the bridge carry?",
    "German": "Wie viele Tonnen hält die Brücke?",
    "French": "Combien de tonnes le pont supporte-t-il ?",
    "Spanish": "¿Cuántas toneladas aguanta el puente?",
    "Italian": "Quante tonnellate regge il ponte?",
    "Portuguese": "Quantas toneladas a ponte aguenta?",
    "Dutch": "Hoeveel ton houdt de brug?",
    "Polish": "Ile ton utrzyma most?",
    "Russian": "Сколько тонн выдержит мост?",
    "Chinese and Japanese": "这座桥能承受多少吨？",
}
SAME = [
    ("Ja.", "Ja!", ""),
    ("Nein, auf keinen Fall.", "Nein.", ""),
    ("Oui.", "oui", ""),
    ("Sí.", "Sí, claro.", ""),
    ("40 Tonnen", "40 t", "Wie viele Tonnen hält die Brücke?"),
    ("Die Brücke hält 40 Tonnen.", "40 Tonnen.", "Wie viele Tonnen hält die Brücke?"),
    ("Option A", "A", ""),
    ("Мост выдержит 40 тонн.", "40 тонн", "Сколько тонн выдержит мост?"),
    ("はい。", "はい", ""),
]
REFUSALS = [
    "Das weiß ich leider nicht.",
    "Ich habe dazu keine verlässlichen Informationen.",
    "Je ne sais pas.",
    "Je suis désolé, je ne peux pas répondre à cette question.",
    "No lo sé.",
    "No tengo información fiable sobre eso.",
    "Non lo so.",
    "Mi dispiace, non ho informazioni su questo.",
    "Não sei.",
    "Não tenho informações sobre isso.",
    "Dat weet ik niet.",
    "Nie wiem.",
    "Nie mam informacji na ten temat.",
    "Я не знаю.",
    "К сожалению, у меня нет данных об этом.",
    "我不知道。",
    "抱歉，我无法回答这个问题。",
    "分かりません。",
    "申し訳ありませんが、お答えできません。",
]
POSITIONS = [
    "Nein, die Brücke hält nicht.",
    "Wir sollten das Haus nicht kaufen.",
    "Non, le pont ne tient pas.",
    "No se debe comprar la casa.",
    "Il ponte non regge.",
    "A ponte não aguenta.",
    "De brug houdt niet.",
    "Most nie wytrzyma.",
    "Мост не выдержит.",
    "不应该买这栋房子。",
    "この橋は耐えません。",
]
ALL = [(name, a, b) for name, pairs in CONTRADICTIONS.items() for a, b in pairs]


def relation(a: str, b: str, query: str = "", judge=None) -> str | None:
    verdict = compare_lines({"p1": a, "p2": b}, query, judge).get(("p1", "p2"))
    return verdict.relation if verdict else None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ja, die Brücke ist sicher.", "Ja, die Brücke ist nicht sicher."),
        ("Oui, le pont tient.", "Oui, le pont ne tient pas."),
        ("Да, мост выдержит.", "Да, мост не выдержит."),
        ("はい、耐えます。", "はい、耐えません。"),
    ],
)
def test_a_yes_that_goes_on_with_a_not_does_not_agree_with_a_plain_yes(a, b):
    assert relation(a, b) is None


def test_there_are_twelve_contradictions_in_each_of_ten_languages():
    assert len(CONTRADICTIONS) == 10
    assert all(len(pairs) == 12 for pairs in CONTRADICTIONS.values())


@pytest.mark.parametrize(("name", "a", "b"), ALL)
def test_a_contradiction_is_never_called_agreement(name, a, b):
    assert relation(a, b) not in ("agree", "partly")
    assert relation(a, b, QUERIES[name]) not in ("agree", "partly")


@pytest.mark.embedded
def test_the_embedded_model_calls_no_contradiction_agreement_either():
    from mutual_dissent.semantics import Semantics

    judge = Semantics.load().compare
    wrong = [(a, b) for _, a, b in ALL if relation(a, b, judge=judge) in ("agree", "partly")]
    wrong += [
        (a, b) for name, a, b in ALL if relation(a, b, QUERIES[name], judge) in ("agree", "partly")
    ]
    assert wrong == []


@pytest.mark.parametrize(("a", "b", "query"), SAME)
def test_equal_values_agree_in_every_language(a, b, query):
    assert relation(a, b, query) == "agree"


@pytest.mark.parametrize("text", REFUSALS)
def test_not_knowing_is_no_position_in_every_language(text):
    assert takes_no_position(text)


@pytest.mark.parametrize("text", POSITIONS)
def test_a_negative_position_is_a_position(text):
    assert not takes_no_position(text)


def test_the_model_is_never_asked_about_another_language_than_english():
    asked: list[tuple[str, str]] = []

    def judge(pairs):
        asked.extend(pairs)
        return [type("Said", (), {"relation": "agree", "confidence": 1.0})() for _ in pairs]

    for name, a, b in ALL:
        if name != "English":
            relation(a, b, "", judge)
    assert asked == []
