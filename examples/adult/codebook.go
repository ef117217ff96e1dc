package main

// attribute is a categorical attribute of the codebook: its values, and their relative frequencies in the synthetic
// table (weights). Only the order of the weights follows the original table, not their sizes.
type attribute struct {
	values  []string
	weights []float64
}

var workclass = attribute{
	[]string{"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay"},
	[]float64{740, 85, 37, 31, 69, 43, 1},
}

var education = attribute{
	[]string{
		"Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college", "Assoc-voc",
		"Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
	},
	[]float64{2, 5, 10, 20, 15, 28, 37, 13, 323, 223, 42, 33, 164, 54, 17, 12},
}

var occupation = attribute{
	[]string{
		"Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty", "Handlers-cleaners",
		"Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv",
		"Armed-Forces",
	},
	[]float64{31, 133, 107, 120, 132, 134, 45, 66, 122, 32, 51, 5, 21, 1},
}

var race = attribute{
	[]string{"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"},
	[]float64{855, 31, 10, 8, 96},
}

var sex = attribute{[]string{"Female", "Male"}, []float64{33, 67}}

var marital = attribute{
	[]string{
		"Never-married", "Married-civ-spouse", "Married-spouse-absent", "Married-AF-spouse", "Separated",
		"Divorced", "Widowed",
	},
	[]float64{330, 458, 13, 1, 31, 136, 31},
}

// relationship has weights for people who do not live with a spouse. The others get Wife or Husband.
var relationship = attribute{
	[]string{"Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"},
	[]float64{0, 28, 0, 47, 6, 19},
}

var country = attribute{
	[]string{
		"United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany", "Outlying-US(Guam-USVI-etc)", "India",
		"Japan", "Greece", "South", "China", "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland",
		"Jamaica", "Vietnam",
		"Mexico", "Portugal", "Ireland", "France", "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia",
		"Hungary", "Guatemala", "Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru",
		"Hong", "Holand-Netherlands",
	},
	[]float64{
		43800, 30, 130, 180, 180, 200, 20, 150, 90, 50, 110, 120, 140, 60, 20, 300, 100, 90, 110,
		90, 950, 70, 40, 40, 100, 20,
		50, 60, 70, 90, 20, 90, 50, 20, 30, 20, 150, 30, 50, 30, 1,
	},
}
