from tools.{{slug}} import berths, read, total


def test_empty_file_has_no_rows():
    assert read("") == []


def test_row_has_its_berth():
    assert read("7;1200")[0]["berth"] == 7


def test_total_adds_up():
    assert total(read("7;1200\n8;800")) == 2000


def test_berths_are_sorted():
    assert berths(read("8;1\n7;1")) == [7, 8]


def test_berths_are_counted_once():
    assert berths(read("7;1\n7;2")) == [7]
